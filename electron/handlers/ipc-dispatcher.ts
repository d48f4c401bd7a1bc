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

/** A handler gets this context besides its input. */
export interface CallContext {
  /** Aborted when the page cancels the call or goes away. */
  readonly signal: AbortSignal
  readonly caller: string
}

export type Handlers = {
  readonly [M in MethodName]: (input: IpcInput<M>, context: CallContext) => Promise<IpcOutput<M>> | IpcOutput<M>
}

/** Asks the user where to save a file with this name; null if they cancel. */
export type ChooseFile = (name: string) => Promise<string | null>

/** Asks the user for a folder; null if they cancel. */
export type ChooseFolder = () => Promise<string | null>

/**
 * The ways to run (desktop, browser, command line) differ in these ports. Everything that touches
 * Electron or a browser is passed in here.
 */
export interface AppPorts {
  readonly mode: 'desktop' | 'browser'
  /** The port is null if the page saves files itself. */
  readonly chooseFile: ChooseFile | null
  /** The port is null if the system has no such dialog. */
  readonly chooseFolder: ChooseFolder | null
  /** Encrypts with the operating system's keyring; null if there is none. */
  readonly cipher: Cipher | null
  /** This file runs the demo host in a worker thread. */
  readonly demoWorker: URL
  /** This file stores the recorded traffic in a worker thread. */
  readonly trafficWorker: URL
  readonly openExternal: (url: string) => Promise<boolean>
  /** Shows a panel's page; null if a frame of our page does. */
  readonly panelView: PanelView | null
  /** The URL leads to the `resources` folder of the program, with a trailing slash. */
  readonly resources: URL
  readonly runtime: Record<string, string>
  readonly version: string
  /** Finds updates; absent where another program installs them. */
  readonly updater?: Updater
  /** The program was started with this environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if a person is at the pages, so that agents may propose writes. Default false. */
  readonly acceptsProposals?: boolean
  /**
   * True to read only: the data directory is not changed, and another program may hold its lock.
   * Default false.
   */
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

/** The page was requested with this cursor. */
export interface ListingPage {
  readonly cursor: string | null
  readonly reply: CallReply
}

/**
 * A transport calls these methods for a page. When a caller is removed, everything it has in
 * progress ends.
 */
export interface IpcDispatcher {
  call(caller: string, request: unknown): Promise<CallReply>
  cancel(caller: string, id: unknown): void
  /** Reads the pages of a listing one after the other; see `shared/ipc/listing.ts`. */
  readListing(caller: string, request: unknown, signal: AbortSignal): AsyncIterable<ListingPage>
  /** Returns the caller that was given this `listing.key`; null if it is gone. */
  findCaller(key: string | null): string | null
  /** Cancels all calls of a page that has gone, and no longer accepts its key. */
  removeCaller(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

/** Reads the bytes of content for a transport. Never rejects because of the host. */
export type ContentReader = (request: ContentRequest) => Promise<ContentResponse>

/** The entry points and the command line get this from `composeApp`. */
export interface ComposedApp {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly getAppearance: () => Pick<Settings, 'theme' | 'density' | 'locale'>
  /** A transport that shows panels in frames looks them up here. */
  readonly panel: PanelDirectory
  /** Returns the notices so far, which the page also shows. */
  readonly listNotices: Notices['list']
  /** The recorded client uses this address, which contains its key; null without `--record`. */
  readonly recordingUrl: string | null
  /** The entry point itself reports here. Texts are redacted. */
  readonly log: Log
  /** The flags chose this profile, which is being connected; null if they chose none. */
  readonly firstProfile: FirstProfile | null
  dispose(): Promise<void>
}
