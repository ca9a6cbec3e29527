"""What `tools/check-oci` runs: one check after another, each against docker-registry 2.8, skopeo and oras."""
import base64, filecmp, hashlib, http.server, json, os, pathlib, shutil, socket, subprocess, sys, tempfile, threading, time, urllib.parse

import bcrypt
import oras.client

FMADAPTER, PACKAGE = os.environ["FMADAPTER"], pathlib.Path(os.environ["PACKAGE"])
REGISTRY, SKOPEO = os.environ["REGISTRY"], os.environ["SKOPEO"]
WORK = pathlib.Path(tempfile.mkdtemp(prefix="check-oci-"))
FILES = sorted(p.name for p in PACKAGE.iterdir())
PASSWORD = "hunter2-" + os.urandom(4).hex()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def wait(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens at {port}")


class Registry:
    """A docker-registry of its own, which ends with the check."""

    def __init__(self, name, tls=False, login=False, tokens=None):
        self.folder, self.port = WORK / name, free_port()
        self.folder.mkdir()
        self.host = f"127.0.0.1:{self.port}"
        lines = ["version: 0.1", "log: {level: error, accesslog: {disabled: true}}", "storage:",
                 f"  filesystem: {{rootdirectory: {self.folder}/data}}", f"http:\n  addr: {self.host}"]
        if tls:
            lines.append(f"  tls: {{certificate: {WORK}/good.pem, key: {WORK}/good.key}}")
        if login:
            (self.folder / "htpasswd").write_text(f"me:{bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()}\n")
            lines.append(f"auth: {{htpasswd: {{realm: here, path: {self.folder}/htpasswd}}}}")
        if tokens:
            lines.append(f"auth: {{token: {{realm: '{tokens.realm}', service: check-oci, issuer: check-oci, rootcertbundle: {WORK}/tokens.pem}}}}")
        (self.folder / "config.yml").write_text("\n".join(lines) + "\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen([REGISTRY, "serve", str(self.folder / "config.yml")],
                                        stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "a"))
        wait(self.port)

    def end(self):
        self.process.kill()
        self.process.wait()


class Tokens(http.server.ThreadingHTTPServer):
    """Gives tokens to those who log in, as hubs do, by which the registry lets them in: JSON Web Tokens, for one repository and some seconds."""

    daemon_threads = True

    def __init__(self, seconds):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "tokens.key", "-out", "tokens.pem", "-days", "2",
                        "-subj", "/CN=tokens"], cwd=WORK, check=True, capture_output=True)
        self.certificate = "".join((WORK / "tokens.pem").read_text().splitlines()[1:-1])
        self.seconds, self.given = seconds, []
        super().__init__(("127.0.0.1", 0), TokenAnswer)
        self.realm = f"http://127.0.0.1:{self.server_port}/token"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def token(self, access):
        def part(value):
            return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).rstrip(b"=")
        now = int(time.time())
        said = {"iss": "check-oci", "sub": "me", "aud": "check-oci", "iat": now, "nbf": now - 1, "exp": now + self.seconds, "jti": str(len(self.given)), "access": access}
        body = part({"typ": "JWT", "alg": "RS256", "x5c": [self.certificate]}) + b"." + part(said)
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", "tokens.key"], cwd=WORK, input=body, capture_output=True, check=True).stdout
        self.given.append(access)
        return (body + b"." + part(signed)).decode()


class TokenAnswer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        kind, _, login = self.headers.get("Authorization", "").partition(" ")
        isKnown = kind == "Basic" and base64.b64decode(login).decode() == f"me:{PASSWORD}"
        scopes = [scope.rsplit(":", 1) for text in query.get("scope", []) for scope in text.split()]
        access = [{"type": name.split(":", 1)[0], "name": name.split(":", 1)[1], "actions": actions.split(",")} for name, actions in scopes]
        text = json.dumps({"token": self.server.token(access)} if isKnown else {"details": "denied"}).encode()
        self.send_response(200 if isKnown else 401)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Gate(threading.Thread):
    """Passes connections on: so many bytes a second to the client, and the first `cuts` are cut after `at` bytes of it."""

    def __init__(self, port, rate=None, cuts=0, at=0, upwards=False):
        super().__init__(daemon=True)
        self.to, self.rate, self.cuts, self.at, self.upwards = port, rate, cuts, at, upwards
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            near, _ = self.socket.accept()
            far = socket.create_connection(("127.0.0.1", self.to))
            for source, target, watched in ((near, far, self.upwards), (far, near, not self.upwards)):
                threading.Thread(target=self.pass_on, args=(source, target, watched), daemon=True).start()

    def pass_on(self, source, target, watched):
        passed = 0
        try:
            while piece := source.recv(16384):
                target.sendall(piece)
                passed += len(piece)
                if watched and self.rate:
                    time.sleep(len(piece) / self.rate)
                if watched and self.cuts > 0 and passed > self.at:
                    self.cuts -= 1
                    break
        except OSError:
            pass
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def authority():
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=WORK, check=True, capture_output=True)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=check-oci")
    openssl("req", *curve, "-keyout", "good.key", "-out", "good.csr", "-subj", "/CN=good")
    (WORK / "good.ext").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "good.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "1", "-days", "2",
            "-extfile", "good.ext", "-out", "good.pem")


ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FMADAPTER_", "DOCKER", "REGISTRY"))}
ENVIRONMENT |= {"HOME": str(WORK), "FMADAPTER_WAIT_SCALE": "0.2"}
ENVIRONMENT.pop("XDG_RUNTIME_DIR", None)
stores = iter(range(1000))


def fmadapter(*words, status=0, **environment):
    """Runs the command in a store of its own; what it printed."""
    store = environment.pop("store", None) or str(WORK / f"store{next(stores)}")
    result = subprocess.run([FMADAPTER, *words], capture_output=True, text=True,
                            env=ENVIRONMENT | {"FMADAPTER_HOME": store} | environment)
    assert result.returncode == status, f"{words}: {result.returncode}\n{result.stdout}{result.stderr}"
    assert PASSWORD not in result.stdout + result.stderr, "a password is shown"
    return result


def same(folder):
    assert sorted(p.name for p in pathlib.Path(folder).iterdir() if p.name in FILES) == FILES, list(pathlib.Path(folder).iterdir())
    for name in FILES:
        assert filecmp.cmp(PACKAGE / name, pathlib.Path(folder) / name, shallow=False), name


def installed(place, **environment):
    same(json.loads(fmadapter("install", place, "--json", **environment).stdout)["path"])


def skopeo(*words, tls=False, login=None):
    flags = ["--src-tls-verify=false", "--dest-tls-verify=false"] if words[0] == "copy" else ["--tls-verify=false"]
    more = []
    if login:
        more = [f"--src-creds={login}", f"--dest-creds={login}"] if words[0] == "copy" else [f"--creds={login}"]
    policy = WORK / "policy.json"
    policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    return subprocess.run([SKOPEO, "--policy", str(policy), *words[:1], *flags, *more, *words[1:]], check=True,
                          capture_output=True, text=True, env=ENVIRONMENT).stdout


def client_of(host, login=False, tls=False, backend="basic"):
    client = oras.client.OrasClient(hostname=host, insecure=not tls, tls_verify=False, auth_backend=backend if login else "token")
    if login:
        client.auth.set_basic_auth("me", PASSWORD)
    return client


def both_ways(registry, host=None, **options):
    """Ours and theirs, in one repository of a registry."""
    host, login = host or registry.host, f"me:{PASSWORD}" if options.get("login") else None
    environment = options.get("environment", {})
    place = f"{host}/team/a"
    reference = fmadapter("publish", f"oci://{place}:1", str(PACKAGE), "--package-version", "1.0.0", **environment).stdout.strip()
    installed(reference, **environment)
    digest = reference.rpartition("@")[2]
    raw = skopeo("inspect", "--raw", f"docker://{place}:1", login=login)
    assert "sha256:" + hashlib.sha256(raw.encode()).hexdigest() == digest
    # What we push, skopeo copies: to a folder, and to another name, where we find the same digest.
    folder = WORK / f"dir{next(stores)}"
    skopeo("copy", f"docker://{place}:1", f"dir:{folder}", login=login)
    for layer in json.loads(raw)["layers"]:
        name = layer["annotations"]["org.opencontainers.image.title"]
        assert filecmp.cmp(folder / layer["digest"].partition(":")[2], PACKAGE / name, shallow=False)
    skopeo("copy", f"docker://{place}:1", f"docker://{host}/team/b:1", login=login)
    installed(f"oci://{host}/team/b@{digest}", **environment)
    # What we push, oras pulls; what oras pushes, we install.
    client = client_of(host, login=bool(login), tls=options.get("tls", False), backend=options.get("backend", "basic"))
    out = WORK / f"oras{next(stores)}"
    client.pull(target=f"{place}:1", outdir=str(out))
    same(out)
    if options.get("backend") != "token":  # With tokens it pushes by one that is for pulling alone, and is refused.
        client.push(target=f"{host}/team/c:1", files=[str(PACKAGE / n) for n in FILES], disable_path_validation=True)
        installed(f"oci://{host}/team/c:1", **environment)
    return place


def logged_in(host, kind="docker"):
    folder = WORK / f"login{next(stores)}"
    folder.mkdir()
    entry = {"auths": {host: {"auth": base64.b64encode(f"me:{PASSWORD}".encode()).decode()}}}
    (folder / "config.json").write_text(json.dumps(entry))
    return {"DOCKER_CONFIG": str(folder)} if kind == "docker" else {"REGISTRY_AUTH_FILE": str(folder / "config.json")}


def check(what, body):
    start = time.monotonic()
    body()
    print(f"{what}: {time.monotonic() - start:.1f} s", flush=True)


def plain():
    registry = Registry("plain")
    both_ways(registry)
    # Nothing is sent twice, and what another repository has is taken over.
    store = str(WORK / "mounting")
    fmadapter("install", f"oci://{registry.host}/team/a:1", store=store)
    again = json.loads(fmadapter("publish", f"oci://{registry.host}/team/a:1", str(PACKAGE), "--package-version", "1.0.0", "--json").stdout)
    assert again[0]["sent"] == 0 and again[0]["outcome"] == "unchanged", again
    taken = json.loads(fmadapter("publish", f"oci://{registry.host}/team/d:1", str(PACKAGE), "--json", store=store).stdout)
    assert taken[0]["sent"] == 0, taken
    registry.end()
    fmadapter("install", f"oci://{registry.host}/team/a:1", status=7)


def tls():
    registry = Registry("tls", tls=True)
    trusted = {"CURL_CA_BUNDLE": str(WORK / "ca.pem")}
    both_ways(registry, tls=True, environment=trusted)
    assert "unknown authority" in fmadapter("install", f"oci://{registry.host}/team/a:1", status=7).stderr
    registry.end()


def login(tls):
    registry = Registry(f"login-{tls}", tls=tls, login=True)
    trusted = {"CURL_CA_BUNDLE": str(WORK / "ca.pem")} if tls else {}
    for kind in ("docker", "podman"):
        both_ways(registry, login=True, tls=tls, environment=trusted | logged_in(registry.host, kind))
    assert "docker login" in fmadapter("install", f"oci://{registry.host}/team/a:1", status=7, **trusted).stderr
    fmadapter("publish", f"oci://{registry.host}/team/e", str(PACKAGE), status=7, **trusted)
    registry.end()


def tokens():
    """A registry that sends those who come to another server for a token, as the hubs do."""
    server = Tokens(60)
    registry = Registry("tokens", tokens=server)
    both_ways(registry, login=True, backend="token", environment=logged_in(registry.host))
    named = {entry["name"] for access in server.given for entry in access}
    assert {"team/a", "team/b"} <= named, named
    assert "docker login" in fmadapter("install", f"oci://{registry.host}/team/a:1", status=7).stderr
    # A token that ends while the weights come: the rest is asked for with a new one. The registry takes tokens for a minute longer.
    server.seconds, size, before = -58, sum((PACKAGE / n).stat().st_size for n in FILES), len(server.given)
    slow = Gate(registry.port, rate=size / 8, cuts=1, at=size // 2)
    installed(f"oci://{slow.host}/team/a:1", **logged_in(slow.host))
    assert len(server.given) == before + 2, server.given[before:]
    registry.end()
    server.shutdown()


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}


def catalogs():
    """A signed catalog: pushed, read and installed from, copied by skopeo, pulled and pushed by oras; and signatures beside packages."""
    registry, site = Registry("catalogs"), WORK / "site"
    key, public = WORK / "sign.pem", WORK / "sign.pub"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    for version in ("1.0.0", "1.1.0"):
        fmadapter("publish", str(site), str(PACKAGE), "--package-version", version, "--sign", str(key))
    name = json.loads((site / "index.json").read_text())["adapters"][0]["identifier"]
    place = f"{registry.host}/team/catalog"
    frozen = fmadapter("catalog", "push", str(site), f"oci://{place}").stdout.strip()
    assert json.loads(fmadapter("catalog", "push", str(site), f"oci://{place}", "--json").stdout)["sent"] == 0
    client = client_of(registry.host)
    out = WORK / "pulled"
    client.pull(target=f"{place}:latest", outdir=str(out))
    assert tree(out) == tree(site), "oras pulls another folder"
    skopeo("copy", f"docker://{place}:latest", f"docker://{registry.host}/team/copy:1")
    os.chdir(site)
    client.push(target=f"{registry.host}/team/theirs:latest", files=sorted(tree(site)), disable_path_validation=True)
    os.chdir(WORK)
    digest = frozen.rpartition("@")[2]
    for reference in (place, f"{registry.host}/team/copy:1", f"{registry.host}/team/copy@{digest}", f"{registry.host}/team/theirs"):
        store = str(WORK / f"store{next(stores)}")
        fmadapter("catalog", "add", f"oci://{reference}", "--key", str(public), store=store)
        path = json.loads(fmadapter("install", name, "--require-signed", str(public), "--json", store=store).stdout)["path"]
        same(path)
    # A signature of its own, for those who look for one there; this registry has no list of them but by a tag.
    signed = WORK / "signed.fmadapter"
    shutil.copytree(PACKAGE, signed)
    fmadapter("sign", str(signed), "--key", str(key))
    reference = fmadapter("publish", f"oci://{registry.host}/team/signed:1", str(signed)).stdout.strip()
    tag = reference.rpartition("@")[2].replace(":", "-")
    beside = json.loads(skopeo("inspect", "--raw", f"docker://{registry.host}/team/signed:{tag}"))["manifests"]
    assert [m["artifactType"] for m in beside] == ["application/vnd.dev.sigstore.bundle.v0.3+json"], beside
    out = WORK / "bundle"
    client.pull(target=f"{registry.host}/team/signed@{beside[0]['digest']}", outdir=str(out))
    assert (out / "model.sig").read_bytes() == (signed / "model.sig").read_bytes()
    registry.end()


def slow_and_failing():
    registry = Registry("gate")
    fmadapter("publish", f"oci://{registry.host}/team/a:1", str(PACKAGE))
    size = sum((PACKAGE / n).stat().st_size for n in FILES)
    slow = Gate(registry.port, rate=size / 5)
    installed(f"oci://{slow.host}/team/a:1")
    # Cut in the midst of the weights, down and up, and taken up again.
    installed(f"oci://{Gate(registry.port, cuts=2, at=size // 3).host}/team/a:1")
    fmadapter("publish", f"oci://{Gate(registry.port, cuts=2, at=size // 3, upwards=True).host}/team/f:1", str(PACKAGE))
    installed(f"oci://{registry.host}/team/f:1")
    # A registry whose disk has gone bad.
    weights = hashlib.sha256((PACKAGE / "adapter_weights.bin").read_bytes()).hexdigest()
    blob = registry.folder / f"data/docker/registry/v2/blobs/sha256/{weights[:2]}/{weights}/data"
    data = bytearray(blob.read_bytes())
    data[len(data) // 2] ^= 1
    blob.write_bytes(data)
    assert "nothing was installed" in fmadapter("install", f"oci://{registry.host}/team/a:1", status=5).stderr
    registry.end()
    assert "nothing listens" in fmadapter("install", f"oci://{registry.host}/team/a:1", status=7).stderr


try:
    authority()
    check("plain http: ours, skopeo's and oras'", plain)
    check("TLS of an authority of its own", tls)
    check("a login, plain", lambda: login(False))
    check("a login, TLS", lambda: login(True))
    check("a login at a server for tokens", tokens)
    check("catalogs and signatures", catalogs)
    check("slow, cut and damaged", slow_and_failing)
finally:
    shutil.rmtree(WORK, ignore_errors=True)
