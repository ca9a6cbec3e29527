"""What is installed: looked at, checked, brought in and taken away."""

import functools
import http.server
import json
import shutil
import threading
import time

from harness import BUNDLED, StudioTest, command, until


class Slow(http.server.SimpleHTTPRequestHandler):
    """Sends large files a little at a time."""

    def log_message(self, *_):
        pass

    def copyfile(self, source, target):
        while piece := source.read(16 << 10):
            target.write(piece)
            time.sleep(self.server.pause)


class AdaptersTests(StudioTest):
    adapters = ("tagging",)

    def serve(self, folder, pause=0.0):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Slow, directory=str(folder)))
        server.pause = pause
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def publish(self, site, version):
        folder = self.program.place / version / "commands.fmadapter"
        shutil.copytree(BUNDLED / "commands.fmadapter", folder)
        path = folder / "metadata.json"
        metadata = json.loads(path.read_text())
        metadata["creatorDefined"]["fmadapter"]["version"] = version
        path.write_text(json.dumps(metadata))
        command("publish", site, folder, home=self.program.home)

    def overview(self):
        page = self.open("adapters")
        page.wait_for_selector(".card .good")
        return page

    def state(self, page):
        return page.locator(".job .status").first.inner_text()

    def test_cards_tell_what_is_installed(self):
        page = self.overview()
        text = page.locator(".card").first.inner_text()
        for part in ("tagging", "1.2.0", "rank 8", "on afm-9m", "From ", "Topic tags", "Norm of the change by layer: 10 layers", "The check finds nothing."):
            self.assertIn(part, text)
        self.assertEqual(page.locator(".card .bars rect").count(), 10)
        disk = page.locator("[aria-label=Disk]").inner_text()
        self.assertIn("afm-9m", disk)
        self.assertIn("tagging", disk)
        self.shot("adapters")
        page.click(".card h2 a")
        page.wait_for_selector("text=adapter_weights.bin")
        address = page.url
        page.reload()
        page.wait_for_selector("text=adapter_weights.bin")
        self.assertEqual(page.url, address)
        self.assertIn("creatorDefined.fmadapter.trainedOn.data", page.locator("[aria-label=Metadata]").inner_text())

    def test_a_folder_is_dropped_and_removed_again(self):
        page = self.overview()
        page.set_input_files("input[type=file]", str(BUNDLED / "playwriting.fmadapter"))
        until(lambda: page.locator(".card").count() == 2 and self.state(page) == "Done", 30, "the adapter")
        self.assertIn("fmadapter install ./playwriting.fmadapter", page.locator(".job .command").first.inner_text())
        page.click("[aria-label='Remove playwriting…']")
        page.click("text=Keep")
        page.click("[aria-label='Remove playwriting…']")
        page.click("text='Remove playwriting'")
        until(lambda: page.locator(".card").count() == 1, 20, "its end")

    def test_catalogs_bring_and_update_adapters(self):
        site = self.program.place / "site"
        self.publish(site, "1.0.0")
        address = self.serve(site)
        page = self.overview()
        page.get_by_label("Address of a catalog").fill(address)
        page.click("text='Add'")
        page.wait_for_selector(".job")
        until(lambda: self.state(page) == "Done", 20, "the catalog")
        page.wait_for_selector("[aria-label='Install commands']")
        page.click("[aria-label='Install commands']")
        until(lambda: page.locator(".card").count() == 2, 30, "the adapter")
        self.publish(site, "1.5.0")
        page.click("text=Look for updates")
        page.wait_for_selector("text=1 adapter can be updated.")
        page.click("text=Update to 1.5.0")
        until(lambda: "1.5.0" in " ".join(self.told(".card")), 30, "the update")
        command("remove", "commands", home=self.program.home)
        page.click(f"[aria-label^='Remove {address}']")
        page.wait_for_selector("text=None is known.")

    def test_downloads_tell_how_far_they_are_and_are_held_and_stopped(self):
        source = self.program.place / "slow"
        shutil.copytree(BUNDLED / "playwriting.fmadapter", source / "playwriting.fmadapter")
        address = self.serve(source, pause=0.05) + "playwriting.fmadapter/"
        page = self.overview()
        page.get_by_label("Name in the catalogs").fill(address)
        page.click("button.primary")
        until(lambda: "%" in self.state(page), 30, "progress")
        page.click("text=Pause")
        until(lambda: self.state(page) == "Paused", 5, "the pause")
        page.reload()
        page.wait_for_selector(".job")
        until(lambda: self.state(page) == "Paused", 5, "the pause, after a reload")
        self.shot("download")
        page.click("text='Go on'")
        until(lambda: "%" in self.state(page), 20, "progress")
        page.click("text='Stop'")
        until(lambda: self.state(page) == "Stopped", 10, "the end")
        self.assertNotIn("playwriting", command("list", "--names", home=self.program.home))

    def test_what_is_wrong_is_said(self):
        page = self.overview()
        page.get_by_label("Name in the catalogs").fill("no_such_adapter")
        page.click("button.primary")
        until(lambda: "Failed" in self.state(page), 20, "the failure")
        self.assertIn("no_such_adapter", page.locator(".job [role=alert]").inner_text())
        folder = self.program.folder / "broken.fmadapter"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metadata.json").write_text("{}")
        page.get_by_label("Name in the catalogs").fill("./broken.fmadapter")
        page.click("button.primary")
        until(lambda: page.locator(".job").count() >= 2 and "Failed, with exit code 4" in self.state(page), 20, "the refusal")
        shutil.rmtree(folder)
