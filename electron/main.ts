import path from 'node:path'
import { app, safeStorage, shell, type BrowserWindow } from 'electron'
import { createRefusedError } from '../shared/errors.ts'
import type { UnsavedWork } from '../shared/ipc/app.ts'
import type { Ports } from './app-composition.ts'
import { startPanelListener } from './browser-host/panel-listener.ts'
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
import { askBeforeClose, quitWithError, quitAfterLastWindow, logUncaughtErrors } from './desktop/lifetime.ts'
import { createLinkHandler, findLink } from './desktop/link-handler.ts'
import { createSecurityLogger } from './desktop/security-logger.ts'
import { APP_ORIGIN, HOME_URL } from './desktop/origin.ts'
import { openPage, reloadPage } from './desktop/page.ts'
import { createPanelCamera, createPanelProcess } from './desktop/panel-frame.ts'
import { detectPackageKind } from './desktop/package-kind.ts'
import { getBundlePaths, getChromiumDir, getWindowStateFile } from './desktop/paths.ts'
import { claimSingleInstance, bringToFront } from './desktop/single-instance.ts'
import { createDesktopEnvironment } from './desktop/desktop-environment.ts'
import { detectDangerousSwitch } from './desktop/dangerous-switch.ts'
import { getDesktopTexts } from './desktop/texts.ts'
import { createUpdater } from './desktop/updater.ts'
import { isolateUpdateRequests } from './desktop/update-isolation.ts'

const { log, connectLog } = createSecurityLogger()
let window: BrowserWindow | null = null
const linkHandler = createLinkHandler({ show: showPlace, log })
const recordingFiles = createFileQueue()
/** The file that the page saved last; `announce` says so in the page. */
const savedFile = { path: '', announce: (_path: string): void => undefined }

// The check happens before the app is ready, when no debugger can listen yet.
const dangerousSwitch = app.isPackaged ? findDangerousSwitch() : null
if (dangerousSwitch !== null) {
  const { dangerousSwitch: refusalText } = getDesktopTexts('system', app.getPreferredSystemLanguages())
  quitWithError(createRefusedError('SWITCH_REFUSED', refusalText.replace('{name}', dangerousSwitch)))
} else {
  const words = getProgramFlags(process.argv, app.isPackaged)
  const { command, flags } = parseCommandWords(words, isValueFlag)
  const exitCode = command === null ? null : restartWithoutDisplay(process.argv.slice(1))
  if (exitCode !== null) process.exit(exitCode)
  if (command === null) hardenApp(log, (file) => savedFile.announce((savedFile.path = file)))
  const startup = command === null ? start(flags) : runCommand(words)
  startup.catch(quitWithError)
}

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
  const argv = [...process.execArgv, ...process.argv.slice(1)]
  return detectDangerousSwitch(argv, (name) => app.commandLine.hasSwitch(name), process.platform)
}

async function start(flags: readonly string[]): Promise<void> {
  if (flags.includes('--help')) {
    process.stdout.write(`${programUsage}\n\nWith a command it opens no window: help lists the commands.\n`)
    return app.exit(0)
  }
  const env = extractEnvironment(process.env)
  const config = parseConfig(flags, env)
  // The data directory is checked before Chromium stores anything there.
  checkDataDir(config.dataDir)
  app.setPath('userData', getChromiumDir(config.dataDir))
  if (
    !claimSingleInstance(
      app,
      config.recording,
      () => window,
      (argv, recording) => {
        linkHandler.followLink(findLink(argv))
        if (recording !== null) recordingFiles.open(recording)
      },
    )
  ) {
    return app.exit(0)
  }
  linkHandler.followLink(findLink(process.argv))
  // On macOS, the system passes links to the app through this event.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    linkHandler.followLink(url)
  })
  // On macOS, files come through this event too, even before the app is ready.
  app.on('open-file', (event, file) => {
    event.preventDefault()
    recordingFiles.open(file)
  })
  await app.whenReady()
  await openWindow(config, env)
}

async function openWindow(config: Config, env: Ports['env']): Promise<void> {
  const { page: pageFolder, preload, resources, ...workers } = getBundlePaths(import.meta.url)
  const { electron = '', chrome = '', node } = process.versions
  const hasDevTools = config.hasDevTools || !app.isPackaged
  const environment = createDesktopEnvironment({
    getWindow: () => window,
    reload: () => window && reloadPage(window),
    openRecording: recordingFiles.open,
    showSettings: () => showPlace('/settings'),
    hasDevTools,
    log,
  })
  const page = openPage({
    folder: pageFolder,
    preload,
    stateFile: getWindowStateFile(config.dataDir),
    hasDevTools,
    texts: environment.getTexts,
    log,
  })
  window = page.window
  window.once('closed', () => (window = null))
  let unsaved: UnsavedWork = { writes: 0, heldCalls: 0, forms: 0 }
  askBeforeClose(window, () => unsaved, environment.getTexts)
  const place = linkHandler.takeInitialPlace()
  const pageLoaded = window.webContents.loadURL(place === null ? HOME_URL : `${HOME_URL}#${place}`)
  // A failure is reported where this is awaited, unless the services cannot start.
  pageLoaded.catch(() => undefined)
  // The services are loaded while the system starts the page's process.
  const { composeSwitchableApp } = await import('./switchable-composition.ts')
  const services = await composeSwitchableApp(config, {
    mode: 'desktop',
    acceptsProposals: true,
    chooseFile: environment.chooseFile,
    cipher: createKeyring(safeStorage, process.platform),
    ...workers,
    openExternal: environment.openExternal,
    chooseFolder: environment.chooseFolder,
    chooseRecording: environment.chooseRecording,
    onUnsaved: (work) => (unsaved = work),
    revealFile: (file) => shell.showItemInFolder(file),
    revealSaved: () => shell.showItemInFolder(savedFile.path),
    panelProcess: createPanelProcess(app, () => window, hasDevTools),
    takePanelPicture: createPanelCamera(() => window),
    resources,
    runtime: { electron, chrome, node },
    version: app.getVersion(),
    updater: createUpdater({
      kind: detectPackageKind(process, app.isPackaged),
      // The build replaces `process.env.UPDATE_PUBLISHER` by its value.
      publisher: process.env.UPDATE_PUBLISHER ?? '',
      folder: () => app.getPath('userData'),
      async load() {
        isolateUpdateRequests()
        return import('electron-updater')
      },
    }),
    env,
  })
  savedFile.announce = (file) => {
    const name = path.basename(file)
    services.addNotice({ level: 'info', code: 'FILE_SAVED', message: `Saved ${name}.`, params: { file: name } })
  }
  connectLog((message, facts) => services.log.warn(message, facts))
  logUncaughtErrors(log)
  const panels = await startPanelListener(services.panel, APP_ORIGIN)
  quitAfterLastWindow(async () => {
    await panels.close()
    await services.dispose()
  })
  await environment.followSettings(services.dispatcher)
  const { drawAttentionToProposals } = await import('./desktop/attention-request.ts')
  drawAttentionToProposals(services.dispatcher, () => window, app)
  await page.serve({ ...services, panels })
  recordingFiles.start(services.openRecording)
  await pageLoaded
  if (services.clientProxyUrl !== null) process.stdout.write(`Recording: ${services.clientProxyUrl}\n`)
}

/** Opens files that the system passes; those that come before the services wait for them. */
function createFileQueue() {
  let openFile: ((file: string) => Promise<void>) | null = null
  let waitingFile: string | null = null
  return {
    open(file: string): void {
      if (openFile) void openFile(file)
      else waitingFile = file
    },
    start(open: (file: string) => Promise<void>): void {
      openFile = open
      if (waitingFile !== null) void open(waitingFile)
    },
  }
}

/** Changes only the fragment of the page's address, so that the page is not loaded again. */
function showPlace(place: string): boolean {
  if (!window) return false
  bringToFront(window)
  void window.webContents.loadURL(`${HOME_URL}#${place}`)
  return true
}
