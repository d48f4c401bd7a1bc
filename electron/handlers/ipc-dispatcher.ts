import type { EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'
import type { ContentRequest, ContentResponse } from '../services/media/content-response.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../shared/ipc/index.ts'
import type { Settings } from '../../shared/ipc/settings.ts'
import type { Log } from '../services/files/log.ts'
import type { Notices } from '../services/notices.ts'
import type { PanelDirectory, PanelView } from '../services/panel/call/types.ts'
import type { FirstProfile } from '../services/profiles/first-profile.ts'
import type { Updater } from '../services/updates/updater.ts'
import type { Cipher } from '../services/vault/cipher.ts'

/** What a handler knows about its call besides the input. */
export interface CallContext {
  /** Aborted when the page cancels the call or goes away. */
  readonly signal: AbortSignal
  readonly caller: string
}

export type Handlers = {
  readonly [M in MethodName]: (input: IpcInput<M>, context: CallContext) => Promise<IpcOutput<M>> | IpcOutput<M>
}

/** Asks the user where to save a file of this name; null if they cancel. */
export type ChooseFile = (name: string) => Promise<string | null>

/** Asks for a folder; null if none was chosen. */
export type ChooseFolder = () => Promise<string | null>

/** What differs between the ways to run; everything that touches Electron or a browser is passed in here as a function. */
export interface AppPorts {
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
  readonly acceptsProposals?: boolean
  /** Only reads, and keeps nothing: the data directory stays as it is, and another program may hold its lock. Default false. */
  readonly isVisit?: boolean
}

export type {
  OriginServer as PanelDoor,
  ViewedPanel as PanelInView,
  PanelBounds as PanelPlace,
  PanelDirectory as PanelPort,
  PanelView,
  SocketTarget,
} from '../services/panel/call/types.ts'

/** One page of a listing, asked for with this cursor. */
export interface ListingPage {
  readonly cursor: string | null
  readonly reply: CallReply
}

/** What a transport is given: everything a page may do. `caller` is one page; when it leaves, everything it has under way ends. */
export interface IpcDispatcher {
  call(caller: string, request: unknown): Promise<CallReply>
  cancel(caller: string, id: unknown): void
  /** The pages of a listing, one after the other, for a page that reads them all; see `shared/ipc/listing.ts`. */
  readListing(caller: string, request: unknown, signal: AbortSignal): AsyncIterable<ListingPage>
  /** The caller that was given this `listing.key`; null if it is gone. */
  findCaller(key: string | null): string | null
  /** The page is gone: all its calls are cancelled, and its key is no longer accepted. */
  removeCaller(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

/** What a transport is given for the bytes of contents. Never rejects because of the host. */
export type ContentReader = (request: ContentRequest) => Promise<ContentResponse>

/** What the entry points and the command line get of `compose()`. */
export interface ComposedApp {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  /** What is set of the page's look. */
  readonly getAppearance: () => Pick<Settings, 'theme' | 'density' | 'locale'>
  /** For a transport that shows panels in frames. */
  readonly panel: PanelDirectory
  /** What the user should know so far; the page shows it too. */
  readonly listNotices: Notices['list']
  /** Address for the client that is recorded, with its key; null without `--record`. */
  readonly recordingUrl: string | null
  /** For what the entry point itself has to report; redacted like everything else. */
  readonly log: Log
  /** The profile that the flags chose, which is being connected; null if none. */
  readonly firstProfile: FirstProfile | null
  dispose(): Promise<void>
}
