import type { PanelView } from '../services/panel/types.ts'
import type { Updater } from '../services/updates/types.ts'
import type { Cipher } from '../services/vault/cipher.ts'
import type { ChooseFile } from './content.ts'
import type { ChooseFolder } from './panel.ts'

/** What differs between the ways to run; everything that touches Electron or a browser is passed in here as a function. */
export interface Ports {
  readonly mode: 'desktop' | 'browser'
  /** Asks where to save a file; null if the page saves files itself. */
  readonly chooseFile: ChooseFile | null
  /** Asks for a folder; null if there is no dialog of the system. */
  readonly chooseFolder: ChooseFolder | null
  /** The operating system's keyring, or null if there is none. */
  readonly cipher: Cipher | null
  /** The file that runs the demo host in a worker thread. */
  readonly demoWorker: URL
  /** The file that keeps the recorded traffic, in a worker thread. */
  readonly trafficWorker: URL
  readonly openExternal: (url: string) => Promise<boolean>
  /** Shows a panel's page; null if a frame of our page does. */
  readonly panelView: PanelView | null
  /** The folder of what ships with the program (`resources`), with a slash at the end. */
  readonly resources: URL
  readonly runtime: Record<string, string>
  readonly version: string
  /** Looks for updates; absent where something else updates the program. */
  readonly updater?: Updater
  /** The environment that the program was started with. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A person is at its pages: agents may propose writes to them. Default false. */
  readonly takesProposals?: boolean
  /** Only reads, and keeps nothing: the data directory stays as it is, and another program may hold its lock. Default false. */
  readonly visiting?: boolean
}
