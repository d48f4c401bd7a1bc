/**
 * Switches of Chromium, Electron and Node that let another program take hold of this one (debuggers, code run inside or in front of its
 * processes), and those that take away the page's protection. A name matches as a whole, or up to its `*`.
 *
 * `no-sandbox` is not among them: `app.enableSandbox()` overrides it for everyone but root, and root's Chromium does not start without it.
 */
const dangerous = [
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

/** Checked in Chromium as well. Only these: Electron itself sets some of the others. */
const debuggers = ['remote-debugging-port', 'remote-debugging-pipe', 'inspect', 'inspect-brk']

const pattern = new RegExp(`^(?:${dangerous.map((name) => name.replace('*', '[a-z-]*')).join('|')})$`)

/**
 * The first switch that keeps a packaged app from starting, as written but without its value, or null. A separator (`--`) in front of it
 * makes no difference: whoever parses the arguments after us may read it differently. `hasSwitch` is what Chromium made of them.
 */
export function detectDangerousSwitch(
  argv: readonly string[],
  hasSwitch: (name: string) => boolean,
  platform: NodeJS.Platform,
): string | null {
  const prefix = platform === 'win32' ? /^(?:--?|\/)/ : /^--?/
  for (const arg of argv) {
    const [written = ''] = arg.trim().split('=')
    const name = written.replace(prefix, '').toLowerCase()
    if (prefix.test(written) && pattern.test(name)) return written
  }
  const known = debuggers.find(hasSwitch)
  return known === undefined ? null : `--${known}`
}
