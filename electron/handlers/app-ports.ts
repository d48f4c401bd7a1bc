import type { EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'
import type { ContentRequest, ContentResponse } from '../services/media/content-response.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../shared/ipc/index.ts'
import type { UnsavedWork } from '../../shared/ipc/app.ts'
import type { Settings } from '../../shared/ipc/settings.ts'
import type { Log } from '../services/files/log.ts'
import type { Notices } from '../services/notices.ts'
import type { PanelDirectory, PanelProcess, ProgramRule } from '../services/panel/call/types.ts'
import type { TakePanelPicture } from '../services/panel/panel-pictures.ts'
import type { SelectionSources } from '../services/recordings/exchange-selection.ts'
import type { OpenedSources } from '../services/recordings/opened-recording.ts'
import type { FirstProfile } from '../services/profiles/first-profile.ts'
import type { Recorder } from '../services/traffic/recorder.ts'
import type { Updater } from '../services/updates/updater.ts'
import type { Cipher } from '../services/vault/cipher.ts'

export interface CallContext {
  /** Aborted when the page cancels the call or is closed. */
  readonly signal: AbortSignal
  readonly caller: string
}

export type Handlers = {
  readonly [M in MethodName]: (input: IpcInput<M>, context: CallContext) => Promise<IpcOutput<M>> | IpcOutput<M>
}

export type ChooseFile = (name: string) => Promise<string | null>

/** Asks the user for a folder; null if they cancel. */
export type ChooseFolder = () => Promise<string | null>

/** Everything in which desktop, browser and command line differ, and the only access to them. */
export interface AppPorts {
  readonly mode: 'desktop' | 'browser'
  /** Null if the page saves files itself. */
  readonly chooseFile: ChooseFile | null
  /** Null in the browser host and on the command line, which have no dialog for folders. */
  readonly chooseFolder: ChooseFolder | null
  /** Asks the user for a recording to open; absent where there is no such dialog. */
  readonly chooseRecording?: () => Promise<string | null>
  /** Receives what would be lost if the page closed; absent where the page asks itself. */
  readonly onUnsaved?: (unsaved: UnsavedWork) => void
  /** Shows a file in its folder; absent in a browser. */
  readonly revealFile?: (file: string) => void
  /** Shows the file that the page saved last; absent in a browser. */
  readonly revealSaved?: () => void
  /** Encrypts with the operating system's keyring; null if there is none. */
  readonly cipher: Cipher | null
  /** The file that runs the demo host in a worker thread. */
  readonly demoWorker: URL
  /** The file that stores the recorded traffic in a worker thread. */
  readonly trafficWorker: URL
  readonly snapshotWorker: URL
  /** The file that parses the source maps of panels in a worker thread. */
  readonly sourceMapWorker: URL
  readonly openExternal: (url: string) => Promise<boolean>
  /** Null if the process of a panel's page belongs to another program, such as a browser. */
  readonly panelProcess: PanelProcess | null
  /** Absent where this program cannot see the panel's page. */
  readonly takePanelPicture?: TakePanelPicture | undefined
  /** The URL of the program's `resources` folder, with a trailing slash. */
  readonly resources: URL
  readonly runtime: Record<string, string>
  readonly version: string
  /** Absent where a different program installs updates. */
  readonly updater?: Updater | undefined
  /** The environment with which the program was started. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if a user can see the pages, so that agents may propose writes. Default false. */
  readonly acceptsProposals?: boolean
  /** Only reads: the data directory stays as it is, and another program may hold its lock. */
  readonly isVisit?: boolean
  /** Keeps traffic in memory and judges it; by default a visit keeps the last few exchanges. */
  readonly keepsTraffic?: boolean
  /** True if the program runs within another one, whose V8 flags stay unchanged. Default false. */
  readonly isEmbedded?: boolean
  /** Shows recordings in place of the host; absent where there are no pages. */
  readonly recordingSwitch?: RecordingSwitch
  /** Override rules that are tried before those of the panel's file, and are never saved. */
  readonly overrides?: Iterable<ProgramRule>
}

export interface OpenedRecording {
  readonly file: string
  readonly openedAt: number
}

export interface RecordingSwitch {
  /** @throws the errors of reading a recording; what was shown before stays then */
  open(file: string): Promise<void>
  /** Goes back to the host. */
  close(): Promise<void>
  getOpened(): OpenedRecording | null
  getSources(): OpenedSources | null
  /** Calls the services of the recording. Null unless one is shown. */
  getDispatcher(): Pick<IpcDispatcher, 'call'> | null
}

export type { OriginServer, PanelDirectory, PanelProcess, SocketTarget } from '../services/panel/call/types.ts'

export interface ListingPage {
  /** The cursor with which the page was requested; null for the first page. */
  readonly cursor: string | null
  readonly reply: CallReply
}

/** The methods that a transport calls for a page. Removing a caller cancels its calls. */
export interface IpcDispatcher {
  call(caller: string, request: unknown): Promise<CallReply>
  cancel(caller: string, id: unknown): void
  /** Reads one page after the other; see `shared/ipc/listing.ts`. */
  readListing(caller: string, request: unknown, signal: AbortSignal): AsyncIterable<ListingPage>
  /** The caller to which `listing.key` returned this key; null if it was removed. */
  findCaller(key: string | null): string | null
  /** Cancels all calls of a page that was closed, and revokes its key. */
  removeCaller(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

/** Reads content for a transport. A failure of the host is a response, not a rejection. */
export type ContentReader = (request: ContentRequest) => Promise<ContentResponse>

/** The result of `composeApp` for the entry points and the command line. */
export interface ComposedApp {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly getAppearance: () => Pick<Settings, 'theme' | 'density' | 'locale'>
  /** The panels, for a transport that serves them. */
  readonly panel: PanelDirectory
  /** Decides what callers owe that can send no further request. */
  readonly endCallers: Recorder['endCallers']
  /** Returns the notices since the start, which the page shows too. */
  readonly listNotices: Notices['list']
  readonly addNotice: Notices['add']
  /** The address for the recorded client, which contains a key; null without `--record`. */
  readonly clientProxyUrl: string | null
  /** The log for the entry point. Tokens are removed from its texts. */
  readonly log: Log
  /** The profile that the flags chose, which is being connected; null if they chose none. */
  readonly firstProfile: FirstProfile | null
  readonly selectionSources: SelectionSources
  /** Settles once all of a recording is listed. @throws the errors of reading it */
  readonly whenFilled: Promise<void>
  dispose(): Promise<void>
}
