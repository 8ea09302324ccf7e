"""OpenRefine without its pages: the requests that they send to its own server."""

import json
import os
import socket
import subprocess
import time
import urllib.parse
import urllib.request

WAIT_LIMIT = 120
ALL_ROWS = json.dumps({"facets": [], "mode": "row-based"})


class Refine:
    """A running OpenRefine with an empty workspace."""

    def __init__(self, program, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}/command/core/"
        options = ["-p", str(port), "-i", "127.0.0.1", "-d", folder, "-m", "512M", "-x", "refine.headless=true"]
        self.log = open(os.path.join(folder, "refine.log"), "w")
        # The script replaces itself by Java.
        self.process = subprocess.Popen(
            [program, *options], cwd=os.path.dirname(program), stdout=self.log, stderr=subprocess.STDOUT
        )

    def __enter__(self):
        try:
            self.version = wait_for("OpenRefine", lambda: self.get("get-version")["version"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def get(self, command, **parameters):
        with urllib.request.urlopen(self.address(command, parameters), timeout=WAIT_LIMIT) as answer:
            return json.load(answer)

    def post(self, command, form, **parameters):
        parameters["csrf_token"] = self.get("get-csrf-token")["token"]
        body = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(self.address(command, parameters), body, timeout=WAIT_LIMIT) as answer:
            answer = json.load(answer)
        assert answer.get("code") != "error", (command, answer)
        return answer

    def create(self, name, csv):
        """A new project from the text of a CSV file. Returns its identifier."""
        boundary = "ThisLineIsInNoFile"
        parts = [('name="project-name"', name), ('name="project-file"; filename="names.csv"', csv)]
        body = "".join(
            f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{text}\r\n" for head, text in parts
        )
        parameters = {
            "csrf_token": self.get("get-csrf-token")["token"],
            "format": "text/line-based/*sv",
            "options": json.dumps({"encoding": "UTF-8", "separator": ",", "headerLines": 1}),
        }
        request = urllib.request.Request(
            self.address("create-project-from-upload", parameters),
            f"{body}--{boundary}--\r\n".encode(),
            {"content-type": f"multipart/form-data; boundary={boundary}"},
        )
        # It leads to the page of the project.
        with urllib.request.urlopen(request, timeout=WAIT_LIMIT) as answer:
            return urllib.parse.parse_qs(urllib.parse.urlparse(answer.url).query)["project"][0]

    def process_project(self, command, project, form, **parameters):
        """Runs a command that OpenRefine works on in the background."""
        self.post(command, form | {"engine": ALL_ROWS}, project=project, **parameters)
        wait_for(command, lambda: not self.get("get-processes", project=project)["processes"])

    def rows(self, project):
        """For each row its values, by column, and the result of reconciling the first column."""
        columns = self.get("get-models", project=project)["columnModel"]["columns"]
        form = {"engine": ALL_ROWS, "start": 0, "limit": 10_000, "sorting": json.dumps({"criteria": []})}
        answer = self.post("get-rows", form, project=project)
        results = answer["pool"]["recons"]
        found = []
        for row in answer["rows"]:
            cells = row["cells"]
            values = {}
            for column in columns:
                cell = cells[column["cellIndex"]] if column["cellIndex"] < len(cells) else None
                values[column["name"]] = cell and cell.get("v")
            found.append((values, results[cells[columns[0]["cellIndex"]]["r"]]))
        return found

    def address(self, command, parameters):
        return f"{self.base}{command}?{urllib.parse.urlencode(parameters)}"


def wait_for(what, condition):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + WAIT_LIMIT
    while True:
        try:
            value = condition()
        except OSError:
            value = None
        if value:
            return value
        assert time.monotonic() < end, f"{what} took longer than {WAIT_LIMIT} s"
        time.sleep(0.1)
