import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Debian's Chromium without windows has the same engine and takes a sixth less processor time per
 * test.
 */
const headlessShell = '/usr/bin/chromium-headless-shell'

const executablePaths = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    `${process.env['HOME'] ?? ''}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
  ],
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = process.env[name]
    return folder ? [path.join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')] : []
  }),
}

/**
 * Finds a Chromium to test with: `CHROMIUM_PATH`, the system's, or Playwright's own. Returns null
 * if there is none.
 */
export async function findChromium() {
  const configured = process.env['CHROMIUM_PATH']
  if (configured) return existsSync(configured) ? configured : null
  const installed = (executablePaths[process.platform] ?? []).find((file) => existsSync(file))
  if (installed) return installed
  const { chromium } = await import('@playwright/test')
  const bundled = chromium.executablePath()
  return bundled && existsSync(bundled) ? bundled : null
}

/**
 * Finds the Chromium that the tests drive: like `findChromium`, but preferably one without windows.
 */
export async function findTestChromium() {
  if (!process.env['CHROMIUM_PATH'] && existsSync(headlessShell)) return headlessShell
  return findChromium()
}

/**
 * Finds a Chromium like `findTestChromium`, but installs the headless one if that is possible
 * without asking. A machine that cannot install it tests with `ensureChromium`.
 */
export async function ensureTestChromium() {
  if (!process.env['CHROMIUM_PATH'] && !existsSync(headlessShell) && canInstallPackages()) {
    process.stderr.write('Installing Chromium for the tests (apt-get install chromium-headless-shell)…\n')
    installDebianPackages('chromium-headless-shell')
  }
  return (await findTestChromium()) ?? ensureChromium()
}

const hasApt = () => process.platform === 'linux' && existsSync('/usr/bin/apt-get')
/** Tells whether packages can be installed without asking. */
export function canInstallPackages() {
  return hasApt() && process.getuid?.() === 0
}

/**
 * Finds a Chromium like `findChromium`, but installs one if that is possible without asking;
 * otherwise prints the command that does, and exits.
 */
export async function ensureChromium() {
  const existing = await findChromium()
  if (existing) return existing
  if (process.env['CHROMIUM_PATH'])
    exitWithError(`CHROMIUM_PATH is ${process.env['CHROMIUM_PATH']}, but there is no such file.`)
  if (canInstallPackages()) {
    process.stderr.write('Installing Chromium for the tests (apt-get install chromium)…\n')
    if (installDebianPackages('chromium')) {
      const installed = await findChromium()
      if (installed) return installed
    }
    exitWithError('Chromium could not be installed. Install it, or set CHROMIUM_PATH to a Chromium or Chrome.')
  }
  const command = hasApt() ? 'sudo apt-get install chromium' : 'npx playwright install chromium'
  return exitWithError(`The tests need a Chromium or Chrome. Run: ${command}   (or set CHROMIUM_PATH)`)
}

/**
 * Installs Debian packages as root. Returns false if that failed, with apt's messages on stderr.
 */
export function installDebianPackages(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (...args) => spawnSync('apt-get', ['-qq', ...args], { env, encoding: 'utf8' })
  const updated = run('update')
  const result = run('install', '-y', '--no-install-recommends', ...packages)
  if (result.status !== 0) process.stderr.write(`${updated.stderr ?? ''}${result.stderr ?? ''}`)
  return result.status === 0
}

/** Chromium applies only the last `--disable-features`, so this list includes Playwright's. */
const disabledFeatures = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  // The address bar's suggestions are a page in a process of its own, loaded for each new context:
  // a third of the cost of one.
  'OmniboxAimPopupWebUIContent',
  'OmniboxFullPopupWebUIContent',
  'OmniboxPopupWebUIBaseContent',
  'OmniboxPopupWebUIContent',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
  'SpareRendererForSitePerProcess',
]

/**
 * These flags keep Chromium quiet and offline except for the tests. Root gets no sandbox, because
 * Chromium has none for root.
 */
export const chromiumArgs = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join(',')}`,
]

function exitWithError(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
