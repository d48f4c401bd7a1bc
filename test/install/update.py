"""Updates the installed app, as a person would, from the address that its settings name.

usage: update.py EXECUTABLE VERSION   prints one line of JSON for each check, like drive.py
"""

import os
import signal
import subprocess
import sys

from seen import PATIENCE, check, press, says, start, until

NEXT = sys.argv[2]
app = start('bridge-inspector://open/settings')


@check('finds the next version')
def _():
    press('push button', 'Check for updates')
    says(f'Version {NEXT} is available')


@check('refuses a file that is not the one described')
def _():
    press('push button', 'Download')
    says('is not the one that the address describes')


@check('downloads it, and compares its checksum')
def _():
    press('push button', 'Download')
    says('its checksum is right')


@check('asks once more, hands it to the system’s installer, and ends')
def _():
    press('push button', 'Install and restart')
    press('push button', 'Install')
    app.wait(PATIENCE)
    assert os.path.exists(os.path.expanduser('~/handed'))


@check('starts again')
def _():
    def again():
        found = subprocess.run(['pgrep', '-o', '-x', 'bridge-inspecto'], capture_output=True, text=True).stdout.split()
        return [int(pid) for pid in found if int(pid) != app.pid]

    for pid in until('another start', again):
        os.kill(pid, signal.SIGTERM)
