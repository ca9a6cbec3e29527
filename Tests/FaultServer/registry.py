"""An OCI registry (distribution specification 1.1) in memory, which goes wrong in the way that its faults ask for.

  auth=basic|bearer         asks who asks; the one user is `me`, with the password `hunter2`
  public                    nobody may read, too
  identity                  tokens are given for the refresh token `refresh-hunter2`
  uses=N                    a token is good for N requests
  realm=ADDRESS             where tokens are asked for, percent-encoded; here unless given
  status=N on=TEXT times=N  answers so where METHOD and path have TEXT in them, percent-encoded, the first `times` times
  cut=METHOD times=N        half of a layer, then the end of the connection, the first `times` times
  lie=blob|manifest|put     another byte in a layer, in a manifest, another digest than that of what was put
  store=ADDRESS             layers are at ADDRESS/DIGEST, percent-encoded
  absolute                  sessions are told of with host and scheme
  referrers                 lists what is about a manifest, and says so when it gets it
"""
import base64, hashlib, json, re
from urllib.parse import parse_qs, unquote

USER, PASSWORD = "me", "hunter2"
NAME = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Registry:
    def __init__(self, faults):
        self.faults = {k: unquote(v) for k, _, v in (f.partition("=") for f in faults.split(";"))}
        self.blobs, self.manifests, self.tags, self.sessions = {}, {}, {}, {}
        self.tokens, self.hits, self.number = {}, {}, 0

    def happens(self, name):
        """Whether the fault happens once more."""
        self.hits[name] = self.hits.get(name, 0) + 1
        return self.hits[name] <= int(self.faults.get("times", 1 << 30))

    def fail(self, answer, status, code, **fields):
        errors = json.dumps({"errors": [{"code": code, "message": "no: " + answer.headers.get("authorization", "")}]})
        answer.short(status, errors, "application/json", **fields)

    def give(self, answer):
        path, _, query = answer.target.partition("?")
        query = {k: v for k, v in parse_qs(query).items()}
        origin = "http://" + answer.headers.get("host", "")
        if path == "/token":
            return self.token(answer, query)
        match = re.fullmatch(rf"/v2/({NAME})/(blobs|manifests|tags|referrers)/(.*)", path)
        if path != "/v2/" and not match:
            return answer.short(404, "404 page not found")
        writes = answer.method not in ("GET", "HEAD")
        if not self.allowed(answer, origin, match and match[1], writes):
            return
        if match is None:
            return answer.short(200, "{}", "application/json")
        on = self.faults.get("on", "\0")
        if "status" in self.faults and on in f"{answer.method} {path}" and self.happens("status"):
            return self.fail(answer, int(self.faults["status"]), "TOOMANYREQUESTS", Retry_After="1")
        name, kind, rest = match.groups()
        if kind == "manifests":
            return self.manifest(answer, name, rest)
        if kind == "tags":
            tags = sorted(self.tags.get(name, {}))
            if not tags:
                return self.fail(answer, 404, "NAME_UNKNOWN")
            return answer.short(200, json.dumps({"name": name, "tags": tags}), "application/json")
        if kind == "blobs" and rest.startswith("uploads/"):
            return self.upload(answer, name, rest[8:], query, origin)
        if kind == "blobs":
            return self.blob(answer, name, rest)
        if kind == "referrers" and "referrers" in self.faults:
            return self.referrers(answer, name, rest)
        answer.short(404, "404 page not found")

    # Who asks.

    def allowed(self, answer, origin, name, writes):
        kind, given = self.faults.get("auth"), answer.headers.get("authorization", "")
        if kind is None or (kind == "basic" and given == self.basic()):
            return True
        if kind == "basic":
            self.fail(answer, 401, "UNAUTHORIZED", WWW_Authenticate='Basic realm="here, \\"and\\" there"')
            return False
        scopes = self.tokens.get(given.removeprefix("Bearer "), [0, []])
        needed = f"repository:{name}:{'pull,push' if writes else 'pull'}"
        good = name is None or any(s.rpartition(":")[0] == f"repository:{name}" and
                                   set(needed.rpartition(":")[2].split(",")) <= set(s.rpartition(":")[2].split(","))
                                   for s in scopes[1])
        if given and good and scopes[0] > 0:
            scopes[0] -= 1
            return True
        realm = self.faults.get("realm", origin + "/token")
        scope = f',scope="{needed}"' if name else ""
        self.fail(answer, 401, "UNAUTHORIZED", WWW_Authenticate=f'Bearer realm="{realm}",service="tests"{scope}')
        return False

    def basic(self):
        return "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    def token(self, answer, query):
        given = answer.headers.get("authorization")
        form = parse_qs(answer.received.decode())
        scopes = query.get("scope", []) + [s for t in form.get("scope", []) for s in t.split()]
        known = form.get("refresh_token") == ["refresh-" + PASSWORD] if "identity" in self.faults else given == self.basic()
        if not known:
            if given or form or "public" not in self.faults:
                return self.fail(answer, 401, "UNAUTHORIZED")
            scopes = [s.rpartition(":")[0] + ":pull" for s in scopes]
        self.number += 1
        token = f"t{self.number}-hunter2"
        self.tokens[token] = [int(self.faults.get("uses", 1 << 30)), scopes]
        answer.short(200, json.dumps({"token": token, "expires_in": 300}), "application/json")

    # What there is.

    def manifest(self, answer, name, reference):
        if answer.method == "PUT":
            parsed = json.loads(answer.received)
            for blob in [parsed["config"], *parsed["layers"]] if "config" in parsed else []:
                if (name, blob["digest"]) not in self.blobs:
                    return self.fail(answer, 400, "MANIFEST_BLOB_UNKNOWN")
            for entry in parsed.get("manifests", []):
                if (name, entry["digest"]) not in self.manifests:
                    return self.fail(answer, 400, "MANIFEST_UNKNOWN")
            own = digest(answer.received)
            self.manifests[name, own] = (answer.received, answer.headers["content-type"])
            if not reference.startswith("sha256:"):
                self.tags.setdefault(name, {})[reference] = own
            said = digest(b"other") if self.faults.get("lie") == "put" else own
            about = {"OCI_Subject": parsed["subject"]["digest"]} if "subject" in parsed and "referrers" in self.faults else {}
            return answer.short(201, "", Location=f"/v2/{name}/manifests/{own}", Docker_Content_Digest=said, **about)
        own = self.tags.get(name, {}).get(reference, reference)
        if (name, own) not in self.manifests:
            return self.fail(answer, 404, "MANIFEST_UNKNOWN" if name in self.tags else "NAME_UNKNOWN")
        data, kind = self.manifests[name, own]
        if self.faults.get("lie") == "manifest":
            data = data.replace(b'"schemaVersion": 2', b'"schemaVersion":  2')
        answer.short(200, data.decode(), kind, Docker_Content_Digest=own)

    def referrers(self, answer, name, subject):
        found = []
        for (other, own), (data, kind) in self.manifests.items():
            parsed = json.loads(data)
            if other == name and parsed.get("subject", {}).get("digest") == subject:
                found.append({"mediaType": kind, "digest": own, "size": len(data), "artifactType": parsed.get("artifactType")})
        index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": found}
        answer.short(200, json.dumps(index), index["mediaType"])

    def blob(self, answer, name, own):
        data = self.blobs.get((name, own))
        if data is None:
            return self.fail(answer, 404, "BLOB_UNKNOWN")
        if answer.method == "HEAD":
            return answer.head(200, {"Content-Length": len(data), "Docker-Content-Digest": own})
        if "store" in self.faults:
            return answer.short(307, "", Location=f"{self.faults['store']}/{own.removeprefix('sha256:')}")
        asked = answer.range(len(data), f'"{own}"')
        start, end = asked or (0, len(data))
        fields = {"Content-Length": end - start, "ETag": f'"{own}"', "Accept-Ranges": "bytes", "Docker-Content-Digest": own}
        if asked:
            fields["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        if self.faults.get("lie") == "blob":
            data = data[:-1] + bytes([data[-1] ^ 1])
        answer.head(206 if asked else 200, fields)
        piece = data[start:end]
        cut = self.faults.get("cut") == "GET" and len(piece) > 4096 and self.happens("cut")
        answer.give_bytes(piece[:len(piece) // 2] if cut else piece, ends=cut)

    def upload(self, answer, name, session, query, origin):
        place = origin if "absolute" in self.faults else ""
        if answer.method == "POST":
            mount, other = query.get("mount", [None])[0], query.get("from", [None])[0]
            if mount and (other, mount) in self.blobs:
                self.blobs[name, mount] = self.blobs[other, mount]
                return answer.short(201, "", Location=f"{place}/v2/{name}/blobs/{mount}")
            self.number += 1
            self.sessions[str(self.number)] = name
            return answer.short(202, "", Location=f"{place}/v2/{name}/blobs/uploads/{self.number}?_state=a%3D")
        if session not in self.sessions or query.get("_state") != ["a="]:
            return self.fail(answer, 404, "BLOB_UPLOAD_UNKNOWN")
        del self.sessions[session]
        if self.faults.get("cut") == "PUT" and len(answer.received) > 4096 and self.happens("cut"):
            return answer.give_bytes(b"", ends=True)
        own = query["digest"][0]
        if digest(answer.received) != own:
            return self.fail(answer, 400, "DIGEST_INVALID")
        self.blobs[name, own] = answer.received
        said = digest(b"other") if self.faults.get("lie") == "put" else own
        answer.short(201, "", Location=f"/v2/{name}/blobs/{own}", Docker_Content_Digest=said)
