import { app, safeStorage, type BrowserWindow } from 'electron'
import { createRefusedError } from '../shared/errors.ts'
import type { Ports } from './app-composition.ts'
import {
  checkDataDir,
  getDefaultDataDir,
  parseConfig,
  extractEnvironment,
  isValueFlag,
  programUsage,
  type Config,
} from './config.ts'
import { createKeyring } from './desktop/keyring.ts'
import { parseCommandWords, getProgramFlags } from './desktop/arguments.ts'
import { runCommandLine, restartWithoutDisplay } from './desktop/command-line.ts'
import { hardenApp } from './desktop/hardening.ts'
import { quitWithError, quitAfterLastWindow, logUncaughtErrors } from './desktop/lifetime.ts'
import { createLinkHandler, findLink } from './desktop/link-handler.ts'
import { createSecurityLogger } from './desktop/security-logger.ts'
import { HOME_URL } from './desktop/origin.ts'
import { openPage, reloadPage } from './desktop/page.ts'
import { createPanelView } from './desktop/panel-view.ts'
import { detectPackageKind } from './desktop/package-kind.ts'
import { getBundlePaths, getChromiumDir, getWindowStateFile } from './desktop/paths.ts'
import { claimSingleInstance, bringToFront } from './desktop/single-instance.ts'
import { createDesktopEnvironment } from './desktop/desktop-environment.ts'
import { detectDangerousSwitch } from './desktop/dangerous-switch.ts'
import { getDesktopTexts } from './desktop/texts.ts'
import { createUpdater } from './desktop/updater.ts'
import { isolateUpdateRequests } from './desktop/update-isolation.ts'

const { log: note, connectLog: connect } = createSecurityLogger()
let window: BrowserWindow | null = null
const links = createLinkHandler({ show: showPlace, log: note })

// Before the app is ready, so no debugger is listening yet.
const dangerous = app.isPackaged ? findDangerousSwitch() : null
if (dangerous !== null) {
  const { dangerousSwitch: text } = getDesktopTexts('system', app.getPreferredSystemLanguages())
  quitWithError(createRefusedError('SWITCH_REFUSED', text.replace('{name}', dangerous)))
} else {
  const words = getProgramFlags(process.argv, app.isPackaged)
  const { command, flags } = parseCommandWords(words, isValueFlag)
  const ended = command === null ? null : restartWithoutDisplay(process.argv.slice(1))
  if (ended !== null) process.exit(ended)
  if (command === null) hardenApp(note)
  const started = command === null ? start(flags) : runCommand(words)
  started.catch(quitWithError)
}

/** A command of the command line, in place of the window. */
function runCommand(words: readonly string[]): Promise<void> {
  const { commandLine: bundle, ...files } = getBundlePaths(import.meta.url)
  return runCommandLine({
    words,
    bundle,
    files,
    chromiumDir: getChromiumDir(getDefaultDataDir(process.env)),
    runDemoHost: async (args) => (await import('./demo-host/run.ts')).runDemoHost(args),
  })
}

function findDangerousSwitch(): string | null {
  const given = [...process.execArgv, ...process.argv.slice(1)]
  return detectDangerousSwitch(given, (name) => app.commandLine.hasSwitch(name), process.platform)
}

async function start(flags: readonly string[]): Promise<void> {
  if (flags.includes('--help')) {
    process.stdout.write(`${programUsage}\n\nWith a command it opens no window: help lists the commands.\n`)
    return app.exit(0)
  }
  const env = extractEnvironment(process.env)
  const config = parseConfig(flags, env)
  // Before Chromium stores anything there.
  checkDataDir(config.dataDir)
  app.setPath('userData', getChromiumDir(config.dataDir))
  if (
    !claimSingleInstance(
      app,
      () => window,
      (argv) => links.followLink(findLink(argv)),
    )
  ) {
    return app.exit(0)
  }
  links.followLink(findLink(process.argv))
  // macOS tells of links this way.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    links.followLink(url)
  })
  await app.whenReady()
  await open(config, env)
}

async function open(config: Config, env: Ports['env']): Promise<void> {
  const { page, preload, demoWorker, trafficWorker, resources } = getBundlePaths(import.meta.url)
  const { electron = '', chrome = '', node } = process.versions
  const around = createDesktopEnvironment(
    () => window,
    () => window && reloadPage(window),
    note,
  )
  const opened = openPage({
    folder: page,
    preload,
    stateFile: getWindowStateFile(config.dataDir),
    texts: around.getTexts,
    log: note,
  })
  window = opened.window
  window.once('closed', () => (window = null))
  const place = links.takeInitialPlace()
  const loaded = window.webContents.loadURL(place === null ? HOME_URL : `${HOME_URL}#${place}`)
  // It is awaited below, unless the services cannot start.
  loaded.catch(() => undefined)
  // While the system starts the page's process.
  const { composeApp: compose } = await import('./app-composition.ts')
  const services = await compose(config, {
    mode: 'desktop',
    acceptsProposals: true,
    chooseFile: around.chooseFile,
    cipher: createKeyring(safeStorage, process.platform),
    demoWorker,
    trafficWorker,
    openExternal: around.openExternal,
    chooseFolder: around.chooseFolder,
    panelView: createPanelView(() => window),
    resources,
    runtime: { electron, chrome, node },
    version: app.getVersion(),
    updater: createUpdater({
      kind: detectPackageKind(process, app.isPackaged),
      // Replaced by its value when the app is built.
      publisher: process.env.UPDATE_PUBLISHER ?? '',
      folder: () => app.getPath('userData'),
      async load() {
        isolateUpdateRequests()
        return import('electron-updater')
      },
    }),
    env,
  })
  connect((message, facts) => services.log.warn(message, facts))
  logUncaughtErrors(note)
  quitAfterLastWindow(() => services.dispose())
  await around.followSettings(services.dispatcher)
  const { drawAttentionToProposals: drawAttention } = await import('./desktop/attention-request.ts')
  drawAttention(services.dispatcher, () => window, app)
  opened.serve(services)
  await loaded
  if (services.recordingUrl !== null) process.stdout.write(`Recording: ${services.recordingUrl}\n`)
}

/** Shows a place, in the page that is there: only the fragment of its address changes. */
function showPlace(place: string): boolean {
  if (!window) return false
  bringToFront(window)
  void window.webContents.loadURL(`${HOME_URL}#${place}`)
  return true
}
