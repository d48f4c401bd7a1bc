/**
 * Switches of Chromium, Electron and Node that let a different program take control of this program
 * (debuggers, code that runs inside or before its processes), or that remove the page's protection.
 * A name matches as a whole, or up to its `*`.
 *
 * `no-sandbox` is missing here: `app.enableSandbox()` overrides that switch for everyone but root,
 * and root's Chromium does not start without the switch.
 */
const dangerousSwitches = [
  'remote-*',
  'inspect',
  'inspect-*',
  'debug',
  'debug-*',
  'wait-for-debugger*',
  'js-flags',
  'renderer-startup-dialog',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'utility-startup-dialog',
  'zygote-cmd-prefix',
  'gpu-launcher',
  'gpu-startup-dialog',
  'browser-subprocess-path',
  'load-extension',
  'disable-extensions-except',
  'disable-web-security',
  'disable-site-isolation-trials',
  'allow-file-access-from-files',
  'disable-gpu-sandbox',
  'disable-namespace-sandbox',
  'disable-seccomp-filter-sandbox',
  'disable-setuid-sandbox',
  'single-process',
] as const

/** Checked with Chromium's own parser too; other switches are in part set by Electron itself. */
const debuggerSwitches = ['remote-debugging-port', 'remote-debugging-pipe', 'inspect', 'inspect-brk']

const dangerousSwitchPattern = new RegExp(
  `^(?:${dangerousSwitches.map((name) => name.replace('*', '[a-z-]*')).join('|')})$`,
)

/**
 * Finds the first switch because of which a packaged app refuses to start. A separator (`--`)
 * before a switch makes no difference, because Chromium may parse the arguments differently.
 *
 * @param hasSwitch whether Chromium recognised a switch.
 * @returns the switch as written but without its value, or null.
 */
export function detectDangerousSwitch(
  argv: readonly string[],
  hasSwitch: (name: string) => boolean,
  platform: NodeJS.Platform,
): string | null {
  const prefix = platform === 'win32' ? /^(?:--?|\/)/ : /^--?/
  for (const arg of argv) {
    const [flag = ''] = arg.trim().split('=')
    const name = flag.replace(prefix, '').toLowerCase()
    if (prefix.test(flag) && dangerousSwitchPattern.test(name)) return flag
  }
  const enabledDebugger = debuggerSwitches.find(hasSwitch)
  return enabledDebugger === undefined ? null : `--${enabledDebugger}`
}
