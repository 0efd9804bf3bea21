#!/usr/bin/env python3
"""Sends heartbeats of a robot to Muster: Python 3.7 or later, no packages.

    MUSTER_URL=https://muster.example.com MUSTER_DEVICE_TOKEN=svd_... python3 heartbeats.py

What Linux knows is sent by itself: processor, memory, disk, temperature, uptime, and the battery of a laptop or a UPS.
What only the robot knows comes from files or commands, a metric each, which print a number, true, false or a text:

    --file battery=/run/robot/battery --command mode='rosparam get /mode' --file charging=/run/robot/charging

Heartbeats that cannot be sent are kept in --spool, up to 7 days, and sent in batches once there is a connection.
"""
import argparse
import glob
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

BATCH = 500
KEEP_SECONDS = 7 * 86400 - 600
TIMEOUT_SECONDS = 10
# No connection, one that ends in the middle of a response, and a response that is none of Muster's.
UNSENT = (OSError, ValueError, http.client.HTTPException)


def read_text(path):
    with open(path) as file:
        return file.read()


def read_number(path):
    return float(read_text(path).split()[0])


def parse_value(text):
    """A number, a boolean, or a text of at most 200 characters."""
    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = float(text)
    except ValueError:
        return text[:200]
    return value if abs(value) != float("inf") and value == value else None


class Processor:
    """The share of time that the processors were busy since it was read last."""

    def __init__(self):
        self.before = self.read()

    def read(self):
        with open("/proc/stat") as file:
            times = [int(part) for part in file.readline().split()[1:9]]
        return sum(times), times[3] + times[4]

    def busy_percent(self):
        (total, idle), self.before = self.before, self.read()
        passed = self.before[0] - total
        return None if passed <= 0 else round(100 * (1 - (self.before[1] - idle) / passed), 1)


def memory_used_percent():
    with open("/proc/meminfo") as file:
        sizes = dict(line.split(":", 1) for line in file)
    total, free = (int(sizes[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    return round(100 * (1 - free / total), 1)


def disk_used_percent(path):
    usage = shutil.disk_usage(path)
    return round(100 * usage.used / usage.total, 1)


def temperature_c():
    """The hottest of the sensors."""
    values = [read_number(path) / 1000 for path in glob.glob("/sys/class/thermal/thermal_zone*/temp")]
    return round(max(values), 1) if values else None


def battery():
    for path in glob.glob("/sys/class/power_supply/*/capacity"):
        status = read_text(os.path.join(os.path.dirname(path), "status")).strip()
        return {"battery_percent": read_number(path), "charging": status == "Charging"}
    return {}


def measure(options, processor):
    """The metrics now. One that cannot be read is left out, and said once."""
    sources = {
        "cpu_percent": processor.busy_percent,
        "memory_used_percent": memory_used_percent,
        "disk_free_gb": lambda: round(shutil.disk_usage(options.disk).free / 1e9, 1),
        "disk_used_percent": lambda: disk_used_percent(options.disk),
        "temperature_c": temperature_c,
        "uptime_s": lambda: read_number("/proc/uptime"),
    }
    for name, path in options.file:
        sources[name] = lambda path=path: parse_value(read_text(path))
    for name, command in options.command:
        sources[name] = lambda command=command: parse_value(
            subprocess.run(command, shell=True, check=True, capture_output=True, timeout=TIMEOUT_SECONDS, text=True).stdout
        )
    metrics = {}
    try:
        metrics.update(battery())
    except (OSError, ValueError):
        pass
    for name, read in sources.items():
        try:
            value = read()
        except (OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as error:
            say_once(name, "%s is left out: %s" % (name, error))
            continue
        if value is not None:
            metrics[name] = value
    return metrics


said = set()


def say(text):
    print(text, file=sys.stderr, flush=True)


def say_once(key, text):
    if key not in said:
        said.add(key)
        say(text)


class Spool:
    """Heartbeats that were not sent, a line each, in a file that survives the end of this program."""

    def __init__(self, path):
        self.path = path
        self.due = time.monotonic()  # a busy server says when to come back

    def add(self, heartbeat):
        with open(self.path, "a") as file:
            file.write(json.dumps(heartbeat) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self):
        try:
            with open(self.path) as file:
                lines = file.readlines()
        except FileNotFoundError:
            return []
        kept = []
        for line in lines:
            try:
                heartbeat = json.loads(line)
            except ValueError:
                continue  # cut when the power was lost
            if age_seconds(heartbeat["timestamp"]) < KEEP_SECONDS:
                kept.append(heartbeat)
        return kept

    def replace(self, heartbeats):
        if not heartbeats:
            if os.path.exists(self.path):
                os.remove(self.path)
            return
        part = self.path + ".part"
        with open(part, "w") as file:
            file.writelines(json.dumps(heartbeat) + "\n" for heartbeat in heartbeats)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)


def age_seconds(timestamp):
    then = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return time.time() - then.timestamp()


class Later(OSError):
    """The server takes it later: in `seconds`, where it says when."""

    def __init__(self, text, seconds):
        super().__init__(text)
        self.seconds = seconds


class Refused(Exception):
    """The request itself is wrong: sending it again changes nothing."""


def post(options, path, body):
    request = urllib.request.Request(
        options.url.rstrip("/") + "/api/v1/fleet/devices/me/" + path,
        json.dumps(body).encode(),
        {"X-Service-Device-Token": options.token, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        text = error.read(500).decode(errors="replace")
        if error.code in (401, 403):
            raise SystemExit("Muster does not accept this device's token: %s" % text)
        if error.code == 429 or error.code >= 500:
            seconds = error.headers.get("Retry-After", "")
            raise Later("%s %s" % (error.code, text), min(600, int(seconds)) if seconds.isdigit() else 0)
        raise Refused("%s %s" % (error.code, text))
    if not isinstance(answer, dict) or "ignored" not in answer:
        raise ValueError("the response is not Muster's")
    for metric in answer["ignored"]:
        say_once("ignored " + metric["name"], "%s is not kept: %s" % (metric["name"], metric["reason"]))


def send_spool(options, spool):
    kept = spool.read() if time.monotonic() >= spool.due else []
    while kept:
        batch, kept = kept[:BATCH], kept[BATCH:]
        try:
            send_batch(options, batch)
        except Later as error:
            spool.due = time.monotonic() + error.seconds
            raise
        spool.replace(kept)


def send_batch(options, batch):
    """A batch is refused as a whole: halves of it find the heartbeat that is wrong, such as one of a wrong clock."""
    try:
        post(options, "heartbeat/batch/", {"heartbeats": batch})
    except Refused as error:
        if len(batch) == 1:
            say("the heartbeat of %s is dropped: %s" % (batch[0]["timestamp"], error))
            return
        for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
            send_batch(options, half)


def beat(options, processor, spool):
    heartbeat = {
        "timestamp": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        "metrics": measure(options, processor),
    }
    if options.firmware:
        heartbeat["firmware_version"] = options.firmware
    try:
        post(options, "heartbeat/", heartbeat)
    except Refused as error:
        say("the heartbeat was refused: %s" % error)
        return
    except UNSENT as error:
        keep(spool, heartbeat, error)
        return
    try:
        send_spool(options, spool)
    except UNSENT as error:
        say("the rest is sent later: %s" % error)


def keep(spool, heartbeat, reason):
    try:
        spool.add(heartbeat)
    except OSError as error:
        say("a heartbeat is lost, for it was not sent (%s) and cannot be kept: %s" % (reason, error))
    else:
        say("kept until there is a connection: %s" % reason)


def pair(text):
    name, separator, value = text.partition("=")
    if not (name and separator and value):
        raise argparse.ArgumentTypeError("%r is no NAME=VALUE" % text)
    return name, value


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default=os.environ.get("MUSTER_URL"))
    parser.add_argument("--file", metavar="NAME=PATH", type=pair, action="append", default=[])
    parser.add_argument("--command", metavar="NAME=COMMAND", type=pair, action="append", default=[])
    parser.add_argument("--disk", metavar="PATH", default="/", help="the file system to measure (default /)")
    parser.add_argument("--firmware", help="the version of the robot's software")
    parser.add_argument("--spool", metavar="PATH", default="heartbeats.spool", help="default heartbeats.spool")
    parser.add_argument("--every", metavar="SECONDS", type=float, default=30, help="default 30")
    parser.add_argument("--once", action="store_true", help="send one heartbeat, for cron and for trying it out")
    options = parser.parse_args()
    # Not an option: other users of the machine can read those.
    options.token = os.environ.get("MUSTER_DEVICE_TOKEN")
    if not options.url or not options.token:
        parser.error("set MUSTER_URL and MUSTER_DEVICE_TOKEN")
    return options


def main():
    options = parse_options()
    processor, spool, ended = Processor(), Spool(options.spool), threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: ended.set())
    due = time.monotonic()
    while not ended.is_set():
        beat(options, processor, spool)
        if options.once:
            return
        # At a steady pace, without making up for beats that were missed.
        due = max(due + options.every, time.monotonic())
        ended.wait(due - time.monotonic())


if __name__ == "__main__":
    main()
