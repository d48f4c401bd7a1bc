import { app, safeStorage, type BrowserWindow } from 'electron'
import { refused } from '../shared/errors.ts'
import type { Ports } from './compose.ts'
import { checkDataDir, defaultDataDir, parseConfig, takeEnvironment, takesValue, usage, type Config } from './config.ts'
import { createCipher } from './desktop/cipher.ts'
import { commandIn, ownFlags } from './desktop/arguments.ts'
import { runCommandLine, withoutDisplay } from './desktop/command-line.ts'
import { harden } from './desktop/harden.ts'
import { endBecause, endWith, logDefects } from './desktop/lifetime.ts'
import { createLinks, linkIn } from './desktop/link.ts'
import { createNote } from './desktop/note.ts'
import { HOME_URL } from './desktop/origin.ts'
import { openPage, reloadPage } from './desktop/page.ts'
import { createPanelView } from './desktop/panel-view.ts'
import { packageKind } from './desktop/package-kind.ts'
import { bundlePaths, chromiumDir, windowStateFile } from './desktop/paths.ts'
import { claimSingleInstance, toFront } from './desktop/single-instance.ts'
import { createSurroundings } from './desktop/surroundings.ts'
import { dangerousSwitch } from './desktop/switches.ts'
import { textsFor } from './desktop/texts.ts'
import { createUpdater } from './desktop/updater.ts'
import { wallUpdates } from './desktop/update-session.ts'

const { note, connect } = createNote()
let window: BrowserWindow | null = null
const links = createLinks({ show: showPlace, note })

// Before the app is ready, so no debugger is listening yet.
const dangerous = app.isPackaged ? findDangerousSwitch() : null
if (dangerous !== null) {
  const { dangerousSwitch: text } = textsFor('system', app.getPreferredSystemLanguages())
  endBecause(refused('SWITCH_REFUSED', text.replace('{name}', dangerous)))
} else {
  const words = ownFlags(process.argv, app.isPackaged)
  const { command, flags } = commandIn(words, takesValue)
  const ended = command === null ? null : withoutDisplay(process.argv.slice(1))
  if (ended !== null) process.exit(ended)
  if (command === null) harden(note)
  const started = command === null ? start(flags) : perform(words)
  started.catch(endBecause)
}

/** A command of the command line, in place of the window. */
function perform(words: readonly string[]): Promise<void> {
  const { commandLine: bundle, ...files } = bundlePaths(import.meta.url)
  return runCommandLine({
    words,
    bundle,
    files,
    chromiumDir: chromiumDir(defaultDataDir(process.env)),
    runDemoHost: async (args) => (await import('./demo-host/run.ts')).runDemoHost(args),
  })
}

function findDangerousSwitch(): string | null {
  const given = [...process.execArgv, ...process.argv.slice(1)]
  return dangerousSwitch(given, (name) => app.commandLine.hasSwitch(name), process.platform)
}

async function start(flags: readonly string[]): Promise<void> {
  if (flags.includes('--help')) {
    process.stdout.write(`${usage}\n\nWith a command it opens no window: help lists the commands.\n`)
    return app.exit(0)
  }
  const env = takeEnvironment(process.env)
  const config = parseConfig(flags, env)
  // Before Chromium stores anything there.
  checkDataDir(config.dataDir)
  app.setPath('userData', chromiumDir(config.dataDir))
  if (
    !claimSingleInstance(
      app,
      () => window,
      (argv) => links.follow(linkIn(argv)),
    )
  ) {
    return app.exit(0)
  }
  links.follow(linkIn(process.argv))
  // macOS tells of links this way.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    links.follow(url)
  })
  await app.whenReady()
  await open(config, env)
}

async function open(config: Config, env: Ports['env']): Promise<void> {
  const { page, preload, demoWorker, trafficWorker, resources } = bundlePaths(import.meta.url)
  const { electron = '', chrome = '', node } = process.versions
  const around = createSurroundings(
    () => window,
    () => window && reloadPage(window),
    note,
  )
  const opened = openPage({
    folder: page,
    preload,
    stateFile: windowStateFile(config.dataDir),
    texts: around.texts,
    note,
  })
  window = opened.window
  window.once('closed', () => (window = null))
  const place = links.first()
  const loaded = window.webContents.loadURL(place === null ? HOME_URL : `${HOME_URL}#${place}`)
  // It is awaited below, unless the services cannot start.
  loaded.catch(() => undefined)
  // While the system starts the page's process.
  const { compose } = await import('./compose.ts')
  const services = await compose(config, {
    mode: 'desktop',
    takesProposals: true,
    chooseFile: around.chooseFile,
    cipher: createCipher(safeStorage, process.platform),
    demoWorker,
    trafficWorker,
    openExternal: around.openExternal,
    chooseFolder: around.chooseFolder,
    panelView: createPanelView(() => window),
    resources,
    runtime: { electron, chrome, node },
    version: app.getVersion(),
    updater: createUpdater({
      kind: packageKind(process, app.isPackaged),
      // Replaced by its value when the app is built.
      publisher: process.env.UPDATE_PUBLISHER ?? '',
      folder: () => app.getPath('userData'),
      async load() {
        wallUpdates()
        return import('electron-updater')
      },
    }),
    env,
  })
  connect((message, facts) => services.log.warn(message, facts))
  logDefects(note)
  endWith(() => services.dispose())
  await around.follow(services.door)
  const { drawAttention } = await import('./desktop/attention.ts')
  drawAttention(services.door, () => window, app)
  opened.serve(services)
  await loaded
  if (services.recordingUrl !== null) process.stdout.write(`Recording: ${services.recordingUrl}\n`)
}

/** Shows a place, in the page that is there: only the fragment of its address changes. */
function showPlace(place: string): boolean {
  if (!window) return false
  toFront(window)
  void window.webContents.loadURL(`${HOME_URL}#${place}`)
  return true
}
