/* eslint max-lines: "off" -- declarations that the package ships as one file */
// What `bridge-inspector/testing` offers to the tests of a plugin.
// The build ships this file unchanged as the package's declarations, so it imports nothing.
/// <reference lib="esnext.disposable" />

/** A host: its base URL, which ends with `/bridge/v1`, and its token. */
export interface Host {
  readonly baseUrl: string
  readonly token: string
}

export interface DemoHostOptions {
  /** By default, the system chooses a free port. */
  readonly port?: number
  readonly token?: string
  /**
   * Number of cards in the generated study set, 1 to 1,000,000; default 1000. With `library`, there
   * is such a study set only if this is given.
   */
  readonly nodes?: number
  /** What the host serves in place of the library that it generates. */
  readonly library?: Library
  /** Each seed generates another library, the same one in every run. */
  readonly seed?: number
  /** Delay before each response, in milliseconds. */
  readonly latencyMs?: number
  /** Misbehaves on purpose; `bridge-inspector demo-host --help` lists the names. */
  readonly fault?: string | null
  /** How the host behaves where the documents leave room: `0.91`, `0.49`, `strict` or `loose`. */
  readonly dialect?: string
  /** Six digits that `POST /pair` accepts once. */
  readonly pairingCode?: string
  /** How long a commit stays unfinished, in milliseconds; default 100. */
  readonly settleMs?: number
}

/**
 * The content of a library file. Ids are optional and have letters, digits and `. _ -`; what has
 * none gets one from its place. Rejected with the path of a wrong member, such as
 * `studySets[0].cards[3].color`.
 */
export interface Library {
  readonly $schema?: string | undefined
  readonly studySets: readonly LibraryStudySet[]
  readonly documents?: readonly LibraryDocument[] | undefined
  /** What is open in the host's user interface; default: the first study set. */
  readonly open?:
    | {
        readonly studySet: string
        readonly document?: string | undefined
        readonly page?: number | undefined
        readonly card?: string | undefined
      }
    | undefined
  /** The plugins that the host runs. One without `tagPrefix` and `reasons` has no configuration. */
  readonly template?:
    | {
        readonly plugins: readonly {
          readonly id: string
          readonly tagPrefix?: string | undefined
          readonly reasons?: readonly { readonly id: string; readonly label: string }[] | undefined
        }[]
      }
    | undefined
  readonly limits?:
    | {
        readonly batchNoteIds?: number | undefined
        readonly walkLimit?: number | undefined
        readonly excerptLimit?: number | undefined
      }
    | undefined
}

export interface LibraryStudySet {
  readonly id?: string | undefined
  readonly title: string
  /** Ids of documents; the first one is the main document. */
  readonly documents?: readonly string[] | undefined
  readonly cards: readonly LibraryCard[]
}

export interface LibraryCard {
  readonly id?: string | undefined
  readonly title: string
  readonly texts?: readonly string[] | undefined
  /** The bytes of pictures, sound and files are made up. */
  readonly parts?:
    | readonly {
        readonly id?: string | undefined
        readonly kind: 'ink' | 'excerpt_image' | 'image' | 'audio' | 'video' | 'attachment' | 'blank_image'
        readonly ocrText?: string | undefined
        /** `[x, y, width, height]` in fractions of the picture. */
        readonly masks?: readonly (readonly [number, number, number, number])[] | undefined
      }[]
    | undefined
  /** Full paths, such as `#exam/2026`. */
  readonly tags?: readonly string[] | undefined
  /** 0 to 15; default 0. */
  readonly color?: number | undefined
  /** -1 to 2; default -1. */
  readonly fill?: number | undefined
  readonly revision?: number | undefined
  readonly folded?: boolean | undefined
  readonly subMap?: boolean | undefined
  /** By default, the document of the first excerpt. */
  readonly document?: string | undefined
  readonly page?: number | undefined
  /** Each is also a text of the card. */
  readonly excerpts?:
    | readonly {
        readonly id?: string | undefined
        readonly document: string
        readonly page: number
        readonly start: number
        readonly end: number
        readonly text: string
      }[]
    | undefined
  readonly bands?:
    | readonly {
        readonly id?: string | undefined
        readonly height: number
        readonly role?: string | undefined
        readonly owner?: string | undefined
        readonly hasInk?: boolean | undefined
        readonly closed?: boolean | undefined
        readonly live?: boolean | undefined
      }[]
    | undefined
  /** Verdicts, the oldest first; they add no tags. `at` is in milliseconds since 1970. */
  readonly practice?:
    | readonly {
        readonly self: string
        readonly reason?: string | undefined
        readonly plugin?: string | undefined
        readonly at?: number | undefined
      }[]
    | undefined
  readonly children?: readonly LibraryCard[] | undefined
}

export interface LibraryDocument {
  readonly id?: string | undefined
  readonly title: string
  readonly folder?: string | undefined
  /** True if the file is not on the host's device. */
  readonly missing?: boolean | undefined
  /** The text of each page. */
  readonly pages: readonly string[]
  readonly contents?:
    readonly { readonly title: string; readonly page: number; readonly level?: number | undefined }[] | undefined
}

/** A request that the demo host has handled. */
export interface DemoRequest {
  readonly method: string
  /** The path with its query, as sent. */
  readonly path: string
  /** The status is 0 if a fault closed the connection without a response. */
  readonly status: number
  /** The JSON text of a write's body; null for reads and for long bodies. */
  readonly body: string | null
  /** True if the request was performed, even if a fault changed the response. */
  readonly isExecuted: boolean
}

/** A change that the simulated user makes to a card. */
export interface UserEdit {
  readonly noteid: string
  /** The id of its study set. */
  readonly topicid: string
  readonly kind: 'renamed' | 'recoloured' | 'tags' | 'moved'
}

export interface DemoHost extends Host {
  readonly port: number
  /** Returns the requests in the order in which they ended. */
  requests(): readonly DemoRequest[]
  setFault(fault: string | null): void
  setLatency(ms: number): void
  /**
   * Edits a card of the open study set as the host's user would: no request tells of it. Each call
   * does another kind of edit. Null if there is no card to edit.
   */
  editAsUser(): UserEdit | null
  /** Closes the port for `gapMs` (default 1000), then listens again as a new run of the host. */
  restart(gapMs?: number): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a simulated host in this process: the whole contract over HTTP on 127.0.0.1. */
export declare function startDemoHost(options?: DemoHostOptions): Promise<DemoHost>

export interface ServedRecordingOptions {
  /** By default, the system chooses a free port. */
  readonly port?: number
  readonly token?: string
  /** Delay before each response, in milliseconds. */
  readonly latencyMs?: number
  /** If true, each response takes as long as it took when it was recorded. */
  readonly keepsDelays?: boolean
  /** Misbehaves on purpose, with any fault of the demo host except `drift`. */
  readonly fault?: string | null
}

/** A recording that responds as its host did. */
export interface ServedRecording extends Host {
  readonly port: number
  /**
   * Returns the requests in the order in which they ended. What was not recorded has the status
   * 404, and the code `NOT_RECORDED` in its body.
   */
  requests(): readonly DemoRequest[]
  setFault(fault: string | null): void
  setLatency(ms: number): void
  /** How many of the recorded writes were done again. */
  countWrites(): { readonly done: number; readonly recorded: number }
  /** Begins anew, as if no write was done. */
  rewind(): void
  /** Closes the port for `gapMs` (default 1000), then listens again. */
  restart(gapMs?: number): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves a recording file (`.birec`) on 127.0.0.1. A read returns what it returned before or after
 * the recorded writes, as many of them as were sent again. Rejects if the file is no recording.
 */
export declare function serveRecording(file: string | URL, options?: ServedRecordingOptions): Promise<ServedRecording>

/** Which calls an override or a breakpoint applies to. */
export interface CallMatch {
  /** Default `*`, which matches every method. */
  readonly method?: string
  /** A path below the base URL, such as `/notes/{noteid}` or `/notes/*`. */
  readonly path: string
  /** Parameters that a call must have with these values. */
  readonly query?: Readonly<Record<string, string>>
  /** JSON pointers to members that the body must have, with this value if `equals` is present. */
  readonly body?: readonly { readonly at: string; readonly equals?: unknown }[]
  /** Only the call with this number among those that fit, from 1. */
  readonly nth?: number
}

/**
 * A rule that responds to calls of the panel in place of the host, or changes its response. The
 * format is that of `bridge-overrides.json`, which the panel lab writes.
 */
export interface Override {
  readonly name?: string
  readonly match: CallMatch
  readonly answer: OverrideAnswer
  readonly delayMs?: number
}

export type OverrideAnswer =
  | {
      readonly kind?: 'canned'
      /** Default 200. */
      readonly status?: number
      readonly headers?: readonly (readonly [name: string, value: string])[]
      /** A text is sent as it is, any other value as JSON. */
      readonly body: unknown
      /** True if the body is bytes in base64. */
      readonly base64?: boolean
    }
  | {
      readonly kind: 'change'
      /** `at` is a JSON pointer into the host's response. */
      readonly changes: readonly (
        | { readonly do: 'set'; readonly at: string; readonly value: unknown }
        | { readonly do: 'remove'; readonly at: string }
      )[]
    }
  | {
      readonly kind: 'fault'
      readonly fault: 'offline' | 'hang' | 'reset' | 'rate-limit' | 'html-error' | 'cut' | 'malformed'
      readonly retryAfterSeconds?: number
    }

/** A call of the page, before it is sent to the host. */
export interface OverriddenRequest {
  readonly method: string
  /** The path below the base URL, with its query. */
  readonly path: string
  /** Values of the placeholders in the path of the matcher, such as `noteid`. */
  readonly params: Readonly<Record<string, string>>
  /** Has the last value of a name that is there more than once. */
  readonly query: Readonly<Record<string, string>>
  /** Those that a host gets; the names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON value, the text of a body that is no JSON, or undefined without a body. */
  readonly body: unknown
}

/**
 * Returns the answer to a call, or undefined to leave it to the next override or to the host. If it
 * throws, the page gets the status 502 with the code `OVERRIDE_FAILED`.
 */
export type OverrideHandler = (
  request: OverriddenRequest,
) => OverrideAnswer | undefined | Promise<OverrideAnswer | undefined>

export interface OverrideOptions {
  /** Stands in the recorded traffic; default: method and path of the matcher. */
  readonly name?: string
  readonly delayMs?: number
  /** If true, only one call gets the answer. */
  readonly once?: boolean
  /** The first call that fits this matcher ends the override, and does not get its answer. */
  readonly until?: CallMatch
}

export interface AddedOverride {
  /** Number of calls that got its answer so far. */
  readonly count: number
  remove(): void
  [Symbol.dispose](): void
}

export interface PanelOptions {
  /**
   * A folder with an `index.html`, or the URL of a development server on this machine. Without it,
   * the page is empty.
   */
  readonly panel?: string | URL
  /** The host that the panel talks to. Without it, a demo host runs as long as the panel. */
  readonly host?: Host
  /** Decides about writes of the panel; with `ask`, they wait for `decide`. Default `refuse`. */
  readonly writes?: 'allow' | 'ask' | 'refuse'
  readonly overrides?: readonly Override[]
  /** The plugin id that the host would write into `addon`; by default the first of the template. */
  readonly plugin?: string
  /**
   * A data directory in which traffic and the journal of writes are kept. Without it, they are in
   * memory, and are gone when the panel is closed.
   */
  readonly dataDir?: string
  /**
   * The ids of study sets that `changes` compares. Every card of them is read before the panel is
   * opened and by `changes`, which takes about one request for each hundred cards.
   */
  readonly studySets?: readonly string[]
  /**
   * Files or folders of the panel's sources that only pass on calls, such as `src/bridge.ts`, or
   * `bridge.ts` in any folder: the line that called them is named as the initiator.
   */
  readonly wrappers?: readonly string[]
  /**
   * Returns a small picture of the page, JPEG or PNG of at most 256 KB, or null. It is called at
   * each load of the page, each finding, each failed call and each write, at most once a second.
   * `saveRecording` saves the last 200 pictures. The kit has no browser of its own, so there are
   * none without it. The fixtures of `bridge-inspector/playwright` give one.
   */
  readonly takePicture?: () => Promise<Uint8Array | null>
  /**
   * What `saveRecording` makes of texts, ids and pictures. By default texts become placeholders,
   * pictures become grey and ids stay. Pictures of the page stay only if texts stay, too.
   */
  readonly redaction?: {
    readonly texts?: 'keep' | 'placeholder' | 'drop'
    readonly ids?: 'keep' | 'map'
    readonly pictures?: 'keep' | 'grey' | 'drop'
  }
}

type Header = readonly [name: string, value: string]

/** The line of the page's code that made a call. */
export interface Initiator {
  /** Path on the panel's origin, or of the original source where there is a source map. */
  readonly file: string
  /** Lines and columns are counted from 1. Null if only the file is known. */
  readonly line: number | null
  readonly column: number | null
  /** Empty if the function has no name. */
  readonly functionName: string
}

/** A call of the page, with its own request and the response that it got. */
export interface PanelCall {
  readonly exchangeId: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Absent while the call waits. */
  readonly durationMs?: number | undefined
  readonly via: 'host.api' | 'fetch' | 'element'
  readonly decision: 'passed' | 'not-allowed' | 'write-refused' | 'override' | 'not-sent' | 'by-hand' | 'repeated'
  readonly reason: { readonly code: string; readonly params: Readonly<Record<string, string>> }
  readonly page: {
    readonly method: string
    /** The path below the base URL, with its query. */
    readonly path: string
    readonly headers: readonly Header[]
    readonly body: string | null
    readonly bodyBytes: number
  }
  /** What the host would change between the page and itself, such as `confirm` and `addon`. */
  readonly changes: readonly {
    readonly where: string
    readonly member: string
    readonly from: string | null
    readonly to: string | null
    readonly why: string
  }[]
  /** Null while the call waits. */
  readonly answer: {
    readonly status: number | null
    readonly headers: readonly Header[]
    readonly body: string | null
    readonly bytes: number
    /** True if the connection ended without a response. */
    readonly broken: boolean
  } | null
  readonly operationId: string | null
  /** The id by which entries of `console` name the call; null if the page could not add it. */
  readonly pageId: string | null
  /** Null if the browser did not tell it. */
  readonly initiator: Initiator | null
}

/** A mistake of the panel against the contract, once for each rule and resource. */
export interface Finding {
  /** The id of the rule, such as `cursor-invented`. */
  readonly rule: string
  readonly severity: 'error' | 'warning' | 'advice'
  /** What the panel did that breaks the rule. */
  readonly message: string
  /** What it should do instead. */
  readonly remedy: string
  /** The `exchangeId` of the calls from which it follows; the last one shows it. */
  readonly exchanges: readonly string[]
  /** The line that made the call which shows the newest one; null if it is not known. */
  readonly initiator: Initiator | null
  /** The lines of that call in the panel's own code, the innermost first; empty if not known. */
  readonly stack: readonly Initiator[]
  /** Method and path of the exchange that shows the mistake. */
  readonly resource: string
  readonly count: number
  /** Ids, limits and times that belong to the rule. */
  readonly params: Readonly<Record<string, string>>
  /** Milliseconds since 1970 at which the newest one was decided. */
  readonly decidedAt: number
  /** Null if it was decided at its last call; otherwise how long after it, and why. */
  readonly late: { readonly afterMs: number; readonly because: 'timeout' | 'ended' } | null
  /** Null if it stands; otherwise the milliseconds since 1970 at which it was withdrawn. */
  readonly withdrawnAt: number | null
}

/** The record of a write. */
export interface Operation {
  readonly id: string
  readonly endpoint: string
  readonly state: string
  /** The host's own word; null if it said nothing. */
  readonly outcome: string | null
  /** What is known of the write, such as `saved-and-verified`. */
  readonly verdict: { readonly code: string }
  readonly errorCode: string | null
  readonly requestId: string | null
  readonly noteid: string | null
}

/** A card as its study set listed it. */
export interface CardState {
  readonly title: string
  /** Empty for a card at the top. */
  readonly parentId: string
  /** Empty if the parent is not listed. */
  readonly parentTitle: string
  /** Place among the children of the parent, from 1. */
  readonly position: number
  /** All other members that the host sent of the card. */
  readonly members: Readonly<Record<string, unknown>>
}

/** A call that explains a change of a card. */
export interface ChangingCall {
  /** That of the call in `calls`, if the panel made it; null for a write that ended later. */
  readonly exchangeId: string | null
  readonly method: string
  /** The path below the base URL, with its query. */
  readonly path: string
  /** The code of the page that made the call; null if the browser did not tell it. */
  readonly file: string | null
  readonly line: number | null
}

/** A card that is not as it was before the panel was opened. */
export interface CardChange {
  /** The id of its study set. */
  readonly topicid: string
  readonly noteid: string
  /** The title now; of a removed card, the one it had. */
  readonly title: string
  /** What happened to it; `other` if a member changed that the contract does not explain. */
  readonly kinds: readonly (
    | 'added'
    | 'removed'
    | 'moved'
    | 'renamed'
    | 'recoloured'
    | 'folded'
    | 'subMap'
    | 'text'
    | 'tags'
    | 'parts'
    | 'excerpts'
    | 'bands'
    | 'practice'
    | 'other'
  )[]
  /** The members that differ. */
  readonly members: readonly string[]
  /** Null for an added card. */
  readonly before: CardState | null
  /** Null for a removed card. */
  readonly after: CardState | null
  readonly cause: {
    /**
     * How well a call explains the change: it names the card; with `partly`, it sent another value
     * than the one that is there, or cannot have done all of it; it names the card's parent, or
     * only its time fits. With `nobody`, no call does: the host itself or somebody else did it.
     */
    readonly certainty: 'named' | 'partly' | 'parent' | 'time' | 'nobody'
    /** The calls that explain the change or a part of it. */
    readonly calls: readonly ChangingCall[]
    /** The kinds of the change that these calls do not explain. */
    readonly unexplained: CardChange['kinds']
  }
}

/** Console output, an error, a refused action or a load of the page. */
export interface ConsoleEntry {
  readonly at: number
  readonly kind: 'console' | 'error' | 'refused' | 'load'
  readonly level: 'debug' | 'info' | 'warning' | 'error'
  readonly text: string
  readonly file: string
  readonly line: number | null
  readonly column: number | null
}

/** A write of the panel that waits for a decision. */
export interface WaitingWrite {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body: string | null
}

export interface CoverageSum {
  readonly met: number
  readonly total: number
}

/** Only what the contract states is counted, nothing that was merely seen on one host. */
export interface Coverage extends CoverageSum {
  /** Of all routes, parameters, statuses and codes, rounded down to one decimal. */
  readonly percent: number
  readonly kinds: Readonly<Record<'route' | 'parameter' | 'status' | 'code', CoverageSum>>
  readonly routes: readonly {
    readonly method: string
    /** With placeholders, as in the contract. */
    readonly path: string
    readonly calls: number
    readonly cases: readonly {
      readonly kind: 'parameter' | 'status' | 'code'
      /** Name of a query parameter, a status, or an error code. */
      readonly name: string
      /** Number of calls that met it. */
      readonly count: number
    }[]
  }[]
  /** Routes that were called and are not counted. */
  readonly uncounted: readonly { readonly method: string; readonly path: string; readonly calls: number }[]
}

/** What a running panel did so far. */
export interface PanelSession {
  /** Returns the calls in the order in which they began. */
  calls(): Promise<PanelCall[]>
  /** Returns what the panel did against the contract, without advice, as far as that is certain. */
  findings(): Promise<Finding[]>
  /** Returns advice about what the contract leaves open, such as polls that follow fast,
   * or a `confirm` of its own, which the host replaces. */
  advice(): Promise<Finding[]>
  /** Returns findings that were withdrawn, because what was missing followed after all. */
  withdrawn(): Promise<Finding[]>
  /**
   * Decides what the panel still owes, such as the result of a commit that it never read, and
   * resolves with all findings. If it owes something, it may still do it within `graceMs`, by
   * default 3000.
   */
  settle(options?: { readonly graceMs?: number }): Promise<Finding[]>
  /** Returns the records of the panel's writes, the newest first. */
  operations(): Promise<Operation[]>
  /**
   * Reads the study sets of the option `studySets` again, and returns each card that has changed
   * since the start, by whomever, with the call that did it. Rejects without that option, and if
   * the host does not list all cards.
   */
  changes(): Promise<CardChange[]>
  /**
   * Returns which routes, parameters, statuses and error codes of the contract the panel met so
   * far, also by responses of overrides. Routes that a panel may not call are not counted.
   */
  coverage(): Promise<Coverage>
  /**
   * Writes what the panel did so far to a recording (`.birec`), which the app opens. Tokens are not
   * in it, and texts of the library only if `redaction` keeps them. Resolves to false, and writes
   * nothing, if there are no calls.
   */
  saveRecording(file: string | URL): Promise<boolean>
  /** Returns the writes that wait for `decide`. */
  waiting(): Promise<WaitingWrite[]>
  decide(id: string, decision: 'send' | 'refuse'): Promise<void>
  /** Responds to calls in place of the host from now on. The newest override is tried first. */
  override(match: CallMatch, answer: OverrideAnswer | OverrideHandler, options?: OverrideOptions): AddedOverride
  /**
   * Holds the next call that fits, and resolves with it. Call it before the page makes the call,
   * and await it afterwards. Rejects when the panel is closed.
   */
  hold(
    match: CallMatch,
    options?: Omit<Breakpoint, 'match' | 'at'> & { readonly at?: HeldCall['point'] },
  ): Promise<CaughtCall>
  /**
   * Settles, closes the panel, and resolves with the findings. Also closes a demo host that was
   * started for the panel. Rejects if a part was not closed.
   */
  close(): Promise<Finding[]>
  /** Closes the panel at the end of a block that began with `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Holds calls of the page before they are sent, or before the page gets the response. */
export interface Breakpoint {
  readonly match: CallMatch
  /** Default `response`. */
  readonly at?: 'request' | 'response' | 'both'
  /** If true, only responses with a status of 400 or more are held. */
  readonly isErrorOnly?: boolean
  /** After this time, a call goes on unchanged; default 60. */
  readonly waitSeconds?: number
}

export interface HeldCall {
  readonly id: string
  readonly point: 'request' | 'response'
  readonly method: string
  /** The path below the base URL, with its query. */
  readonly path: string
  /** Status of the response; null at the request. */
  readonly status: number | null
}

/** A member that is left out stays as it is. */
export interface HeldEdit {
  /** Only at the request, like the path. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the base URL, with its query. */
  readonly path?: string
  /** Only at the response. */
  readonly status?: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string
}

/** By default, the status is 200, and the headers are those of JSON. */
export interface HeldResponse {
  readonly status?: number
  readonly headers?: HeldEdit['headers']
  readonly body: string
}

/** A call that `hold` holds. */
export interface CaughtCall extends HeldCall {
  continue(edit?: HeldEdit): Promise<void>
  /** Responds in place of the host; at the request, nothing is sent to it. */
  respond(response: HeldResponse): Promise<void>
  /** Ends the connection without a response. */
  abort(): Promise<void>
}

export interface HeldCalls {
  /** Replaces all breakpoints. */
  set(breakpoints: readonly Breakpoint[]): Promise<void>
  /** Returns the calls that are held now, the oldest first. */
  list(): Promise<HeldCall[]>
  /**
   * Resolves with the oldest call that is held, as soon as there is one. Rejects when the panel is
   * closed.
   */
  next(): Promise<HeldCall>
  continue(id: string, edit?: HeldEdit): Promise<void>
  /** Responds in place of the host; at the request, nothing is sent to it. */
  respond(id: string, response: HeldResponse): Promise<void>
  /** Ends the connection without a response. */
  fail(id: string): Promise<void>
}

export interface Panel extends PanelSession {
  /** The address of the page, which any browser of this user can open. */
  readonly url: string
  readonly host: Host
  readonly held: HeldCalls
  console(): Promise<ConsoleEntry[]>
}

/**
 * Serves a panel's page as a host would: with `host.api`, the allow list for panels, and the
 * changes that a host makes to writes. The token stays in this process.
 */
export declare function startPanel(options?: PanelOptions): Promise<Panel>

export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

export interface MatcherOptions {
  /** If true, advice fails the test, too. */
  readonly advice?: boolean
}

/**
 * A matcher for `expect.extend` of vitest and Jest, which the `expect` of
 * `bridge-inspector/playwright` has: `await expect(panel).toKeepContract()` settles the panel, and
 * fails with a table of its findings and their lines.
 */
export declare function toKeepContract(
  session: Pick<PanelSession, 'settle' | 'advice'>,
  options?: MatcherOptions,
): Promise<MatcherResult>

/** Returns the table that `toKeepContract` shows, with the sentence and the remedy of each rule. */
export declare function formatFindings(findings: readonly Finding[]): string

/** Resolves to the JSON value of the response, or to an object with `error`; never rejects. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the type of `host.api` in a panel
export type HostApiFunction = (path: string, options?: RequestInit) => Promise<any>

/** `host.api` itself, and the same function as its member `api`, as a panel's `host` has it. */
export type HostApi = HostApiFunction & PanelSession & { readonly api: HostApiFunction }

/**
 * Returns `host.api` for tests without a browser. Its calls pass the same rules as those of a page.
 * It starts with the first call. If it cannot start, the call resolves to an object with `error`,
 * the methods of `PanelSession` reject, and the next call tries again.
 */
export declare function hostApi(options?: Host | Omit<PanelOptions, 'panel'>): HostApi
