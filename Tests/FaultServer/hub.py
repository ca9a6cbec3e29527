"""A Hugging Face Hub for the fault server: its listing, its redirects, its words for what it does not give.

An address is /hub;FAULTS/ and then what comes behind the endpoint of the hub: api/models/OWNER/REPO/revision/REVISION, or
OWNER/REPO/resolve/COMMIT/PATH. Repositories are folders OWNER/REPO below ROOT. Facts are those of huggingface_hub 2.4.0, whose
own client downloads from here.

Files that end with .gguf, .safetensors or .bin are stored apart from git: a redirect leads to a signed address, good for one
request, on the server that `cdn` names, and the faults of `object` happen there. `only` and `times` work as elsewhere.

  cdn=ORIGIN              where signed addresses are, percent-encoded; here without it      objects=FAULTS  happen there
  token=TOKEN             private: without it there is no such repository; with another one  gated=TOKEN     files need that
  moved=OWNER/REPO        redirects from that name to the only repository                    disabled        switched off
  lie=size|sha|commit|linked|git|twice   one fact of the listing, or of a redirect, is wrong
  until=NAME              `objects` count only while there is a file NAME in ROOT
  bare                    no sizes and no digests in the listing                             json=TEXT       in place of the listing
"""
import hashlib, json, os
from urllib.parse import quote, unquote

APART = (".gguf", ".safetensors", ".bin")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def git_name(path):
    with open(path, "rb") as file:
        data = file.read()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Hub:
    """Answers for one request of the fault server's `Answer`."""

    def __init__(self, answer):
        self.answer, self.faults = answer, answer.faults
        self.parts = [unquote(part) for part in answer.name.split("/")]

    def lies(self, about):
        return self.answer.faulty and self.faults.get("lie") == about

    def folder(self, repository):
        return os.path.join(self.answer.server.root, repository)

    def files(self, repository):
        root = self.folder(repository)
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root)

    def commit(self, repository):
        return hashlib.sha1("\n".join(self.files(repository)).encode()).hexdigest()

    def fail(self, status, code, message):
        self.answer.short(status, json.dumps({"error": message}), "application/json",
                          X_Error_Code=code, X_Error_Message=message)

    def give(self):
        listing = self.parts[:2] == ["api", "models"]
        place = self.parts[2:] if listing else self.parts
        repository, rest = "/".join(place[:2]), place[2:]
        if self.faults.get("moved") == repository:
            new = next(f"{owner}/{repo}" for owner in sorted(os.listdir(self.answer.server.root))
                       for repo in sorted(os.listdir(self.folder(owner))))
            target = f"/{self.answer.first}/" + self.answer.name.replace(repository, new, 1)
            return self.answer.short(307, "Temporary Redirect. Redirecting to " + target, Location=target)
        if "disabled" in self.faults:
            return self.fail(403, None, "Access to this resource is disabled.")
        token = self.answer.headers.get("authorization")
        if token and "token" in self.faults and token != "Bearer " + self.faults["token"]:
            return self.fail(401, None, "Invalid credentials in Authorization header")
        if not os.path.isdir(self.folder(repository)) or ("token" in self.faults and not token):
            return self.fail(404 if token else 401, "RepoNotFound", "Repository not found")
        if listing:
            return self.list(repository, "/".join(rest[1:]) or "main")
        self.resolve(repository, rest[1], "/".join(rest[2:]), token)

    def list(self, repository, revision):
        commit = self.commit(repository)
        if revision not in ("main", "v1", "refs/pr/1", "a/b", commit):
            return self.fail(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if "json" in self.faults:
            return self.answer.short(200, self.faults["json"], "application/json")
        siblings = [self.sibling(repository, path) for path in self.files(repository)]
        text = json.dumps({"_id": "6" * 24, "id": repository, "modelId": repository, "private": "token" in self.faults,
                           "gated": "manual" if "gated" in self.faults else False, "disabled": False, "downloads": 1,
                           "tags": ["gguf"], "sha": commit, "cardData": {"license": "mit"}, "siblings": siblings})
        self.answer.short(200, text, "application/json; charset=utf-8")

    def sibling(self, repository, path):
        if "bare" in self.faults:
            return {"rfilename": path}
        full = os.path.join(self.folder(repository), path)
        size = os.path.getsize(full) + (1 if self.lies("size") else 0)
        entry = {"rfilename": path, "size": size, "blobId": "0" * 40 if self.lies("git") else git_name(full)}
        if path.endswith(APART):
            sha = digest(full)
            sha = sha[::-1] if self.lies("sha") else sha
            entry["lfs"] = {"sha256": sha, "size": size + (1 if self.lies("twice") else 0), "pointerSize": 135}
        return entry

    def resolve(self, repository, commit, path, token):
        if "gated" in self.faults and token != "Bearer " + self.faults["gated"]:
            return self.fail(403 if token else 401, "GatedRepo", f"Access to model {repository} is restricted.")
        now = self.commit(repository) if commit == "main" else commit
        if len(now) != 40:
            return self.fail(404, "RevisionNotFound", f"Invalid rev id: {commit}")
        full = os.path.join(self.folder(repository), path)
        if not os.path.isfile(full):
            return self.fail(404, "EntryNotFound", "Entry not found")
        facts = {"X_Repo_Commit": now[::-1] if self.lies("commit") else now}
        target = quote(f"{repository}/{path}")
        goes_wrong = "until" not in self.faults or os.path.exists(self.folder(self.faults["until"]))
        objects = self.faults.get("objects", "plain") if goes_wrong else "plain"
        if not path.endswith(APART):
            # Small files are on the hub itself, behind an address of its own.
            return self.answer.short(307, "elsewhere", Location=f"/{objects}/{target}", ETag=f'"{git_name(full)}"', **facts)
        size = os.path.getsize(full) + (1 if self.lies("linked") else 0)
        ticket = self.answer.server.ticket()
        place = self.faults.get("cdn", "http://" + self.answer.headers.get("host", ""))
        signed = f"{place}/{objects};ticket={ticket}/{target}?X-Amz-Expires=60&X-Amz-Signature=s3cret{ticket}"
        self.answer.short(302, "Found. Redirecting to " + signed, Location=signed, X_Linked_Size=str(size),
                          X_Linked_Etag=f'"{digest(full)}"', **facts)
