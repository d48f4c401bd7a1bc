import path from 'node:path'
import { app, dialog, Menu, nativeTheme, shell, type BrowserWindow, type OpenDialogOptions } from 'electron'
import { createExternalOpener } from '../../shared/external-link.ts'
import { ARCHIVE_EXTENSION, RECORDING_EXTENSION } from '../../shared/recordings/recording.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'
import { createMenuTemplate } from './menu.ts'
import type { SecurityLogger } from './security-logger.ts'
import { followPreferences } from './preferences.ts'
import { getDesktopTexts, wrapAddress, type DesktopTexts } from './texts.ts'

/** The menu, the system theme and the system dialogs. */
interface DesktopEnvironment {
  getTexts(): DesktopTexts
  /** Opens an http(s) address in the browser after the user has confirmed the address. */
  readonly openExternal: (url: string) => Promise<boolean>
  readonly chooseFile: (name: string) => Promise<string | null>
  readonly chooseFolder: () => Promise<string | null>
  /** Asks for a recording to open; null if the user cancels. */
  readonly chooseRecording: () => Promise<string | null>
  /** Applies the user's theme and language, now and after each change. */
  followSettings(dispatcher: IpcDispatcher): Promise<void>
}

interface EnvironmentPorts {
  readonly getWindow: () => BrowserWindow | null
  readonly reload: () => void
  readonly openRecording: (file: string) => void
  readonly showSettings: () => void
  readonly hasDevTools: boolean
  readonly log: SecurityLogger
}

export function createDesktopEnvironment({
  getWindow,
  reload,
  openRecording,
  showSettings,
  hasDevTools,
  log,
}: EnvironmentPorts): DesktopEnvironment {
  app.setAboutPanelOptions({ applicationName: 'Bridge Inspector', applicationVersion: app.getVersion() })
  let texts = getDesktopTexts('system', app.getPreferredSystemLanguages())

  function showMenu(): void {
    const template = createMenuTemplate({
      texts,
      platform: process.platform,
      hasDevTools,
      openRecording: () => void chooseRecording().then((file) => file !== null && openRecording(file)),
      showSettings,
      reload,
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }

  async function confirm(href: string): Promise<boolean> {
    const { title, question, open, cancel } = texts.external
    const options = { type: 'question' as const, title, message: title, detail: `${question}\n\n${wrapAddress(href)}` }
    // Cancel is the default, so that pressing Enter too fast opens nothing.
    const buttons = { buttons: [open, cancel], defaultId: 1, cancelId: 1, noLink: true }
    const parent = getWindow()
    const { response } = await (parent
      ? dialog.showMessageBox(parent, { ...options, ...buttons })
      : dialog.showMessageBox({ ...options, ...buttons }))
    return response === 0
  }

  async function chooseFile(name: string): Promise<string | null> {
    const options = { defaultPath: path.join(app.getPath('downloads'), name) }
    const parent = getWindow()
    const { canceled, filePath } = await (parent
      ? dialog.showSaveDialog(parent, options)
      : dialog.showSaveDialog(options))
    return canceled || filePath === '' ? null : filePath
  }

  async function choosePath(options: OpenDialogOptions): Promise<string | null> {
    const parent = getWindow()
    const { canceled, filePaths } = await (parent
      ? dialog.showOpenDialog(parent, options)
      : dialog.showOpenDialog(options))
    return canceled ? null : (filePaths[0] ?? null)
  }

  const chooseRecording = (): Promise<string | null> =>
    choosePath({
      properties: ['openFile'],
      filters: [
        {
          name: 'Bridge Inspector',
          extensions: [RECORDING_EXTENSION, ARCHIVE_EXTENSION].map((name) => name.slice(1)),
        },
      ],
    })

  showMenu()
  return {
    chooseFile,
    chooseFolder: () => choosePath({ properties: ['openDirectory'] }),
    chooseRecording,
    getTexts: () => texts,
    openExternal: createExternalOpener({
      confirm,
      open: (href) => shell.openExternal(href).then(() => true),
      onRefused: (reason) => log('external address refused', { reason }),
    }),
    followSettings: (dispatcher) =>
      followPreferences(dispatcher, ({ theme, locale }) => {
        nativeTheme.themeSource = theme
        const newTexts = getDesktopTexts(locale, app.getPreferredSystemLanguages())
        if (newTexts === texts) return
        texts = newTexts
        showMenu()
      }),
  }
}
