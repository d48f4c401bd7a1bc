/* eslint max-lines: "off" -- declarations that the package ships as one file */
// What `bridge-inspector/testing` offers to the tests of a plugin.
// The build writes out in the package's declarations what this file takes from others.
/// <reference lib="esnext.disposable" />
import type { z } from 'zod'
import type { ContractCoverage } from '../electron/core/contract/contract-coverage.ts'
import type { DescribedFinding } from '../electron/core/protocol/described-finding.ts'
import type { LibraryFile } from '../electron/demo-host/library/library-file.ts'
import type { DemoLogEntry } from '../electron/demo-host/request-handler.ts'
import type * as demo from '../electron/demo-host/server.ts'
import type { SnapshotCardState, SnapshotChangeRow } from '../shared/ipc/snapshots.ts'
import type { OperationSummary } from '../shared/ipc/operations.ts'
import type * as breakpoints from '../shared/panel/breakpoints.ts'
import type * as panel from '../shared/panel/panel.ts'
import type { OverrideRule } from '../shared/panel/overrides.ts'
import type { RecordedWrite } from '../shared/snapshots/cause.ts'
import type { InitiatorPlace } from '../shared/traffic/call-initiator.ts'
import type { callMatch, KitOptions } from './options.ts'

type Value = string | number | boolean | null | undefined
/** Data whose members cannot be replaced. */
type Data<T> = T extends Value ? T : unknown extends T ? T : { readonly [Member in keyof T]: Data<T[Member]> }

/** A host: its base URL, which ends with `/bridge/v1`, and its token. */
export interface Host {
  readonly baseUrl: string
  readonly token: string
}

export type DemoHostOptions = Omit<KitOptions['startDemoHost'], 'library'> & {
  /** What the host serves in place of the library that it generates. */
  readonly library?: Library
}

/**
 * The content of a library file. Ids are optional and have letters, digits and `. _ -`; what has
 * none gets one from its place. Rejected with the path of a wrong member, such as
 * `studySets[0].cards[3].color`.
 */
export type Library = Data<Omit<LibraryFile, 'studySets' | 'documents'>> & {
  readonly studySets: readonly LibraryStudySet[]
  readonly documents?: readonly LibraryDocument[] | undefined
}

export type LibraryStudySet = Data<Omit<LibraryFile['studySets'][number], 'cards'>> & {
  readonly cards: readonly LibraryCard[]
}

export type LibraryCard = Data<Omit<LibraryFile['studySets'][number]['cards'][number], 'children'>> & {
  readonly children?: readonly LibraryCard[] | undefined
}

export type LibraryDocument = Data<NonNullable<LibraryFile['documents']>[number]>

/** A request that the demo host has handled. */
export type DemoRequest = Omit<DemoLogEntry, 'endpoint'>

/** A change that the simulated user makes to a card. */
export type UserEdit = Pick<demo.UserEdit, keyof demo.UserEdit>

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

export type ServedRecordingOptions = KitOptions['serveRecording']

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
export type CallMatch = Data<z.input<typeof callMatch>>

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
  | Data<Exclude<OverrideRule['answer'], { kind: 'canned' }>>

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

export type OverrideOptions = Omit<KitOptions['override'], 'until'> & {
  /** The first call that fits this matcher ends the override, and does not get its answer. */
  readonly until?: CallMatch
}

export interface AddedOverride {
  /** Number of calls that got its answer so far. */
  readonly count: number
  remove(): void
  [Symbol.dispose](): void
}

export type PanelOptions = Omit<KitOptions['startPanel'], 'host' | 'overrides'> & {
  /** The host that the panel talks to. Without it, a demo host runs as long as the panel. */
  readonly host?: Host
  readonly overrides?: readonly Override[]
}

/** The line of the page's code that made a call. */
export type Initiator = Data<InitiatorPlace>

/** A call of the page, with its own request and the response that it got. */
export type PanelCall = Data<Omit<panel.PanelCall, 'frames' | 'loader' | 'onlyOutside'>> & {
  /** Null if the browser did not tell it. */
  readonly initiator: Initiator | null
}

/** A mistake of the panel against the contract, once for each rule and resource. */
export type Finding = Data<
  Pick<DescribedFinding, 'severity' | 'message' | 'remedy' | 'resource' | 'count' | 'params'>
> & {
  /** The id of the rule, such as `cursor-invented`. */
  readonly rule: string
  /** The `exchangeId` of the calls from which it follows; the last one shows it. */
  readonly exchanges: readonly string[]
  /** The line that made the call which shows the newest one; null if it is not known. */
  readonly initiator: Initiator | null
  /** The lines of that call in the panel's own code, the innermost first; empty if not known. */
  readonly stack: readonly Initiator[]
  /** Milliseconds since 1970 at which the newest one was decided. */
  readonly decidedAt: number
  /** Null if it was decided at its last call; otherwise how long after it, and why. */
  readonly late: { readonly afterMs: number; readonly because: 'timeout' | 'ended' } | null
  /** Null if it stands; otherwise the milliseconds since 1970 at which it was withdrawn. */
  readonly withdrawnAt: number | null
}

/** The record of a write. */
export type Operation = Data<
  Pick<OperationSummary, 'id' | 'endpoint' | 'state' | 'outcome' | 'errorCode' | 'requestId' | 'noteid'>
> & {
  /** What is known of the write, such as `saved-and-verified`. */
  readonly verdict: Pick<OperationSummary['verdict'], 'code'>
}

/** A card as its study set listed it. */
export type CardState = Data<SnapshotCardState>

/** A call that explains a change of a card. */
export type ChangingCall = Pick<RecordedWrite, 'exchangeId' | 'method' | 'path'> & {
  /** The code of the page that made the call; null if the browser did not tell it. */
  readonly file: string | null
  readonly line: number | null
}

type ChangeRow = Extract<SnapshotChangeRow, { row: 'change' }>

/** A card that is not as it was before the panel was opened. */
export type CardChange = Data<Pick<ChangeRow, 'noteid' | 'kinds' | 'members'>> & {
  /** The id of its study set. */
  readonly topicid: string
  /** The title now; of a removed card, the one it had. */
  readonly title: string
  /** Null for an added card. */
  readonly before: CardState | null
  /** Null for a removed card. */
  readonly after: CardState | null
  readonly cause: {
    readonly certainty: ChangeRow['cause']['certainty']
    /** The calls that explain the change or a part of it. */
    readonly calls: readonly ChangingCall[]
    /** The kinds of the change that these calls do not explain. */
    readonly unexplained: CardChange['kinds']
  }
}

/** Console output, an error, a refused action or a load of the page. */
export type ConsoleEntry = Data<Pick<panel.PanelNote, 'at' | 'level' | 'text' | 'file' | 'line' | 'column'>> & {
  readonly kind: Exclude<panel.PanelNote['kind'], 'click'>
}

/** A write of the panel that waits for a decision. */
export interface WaitingWrite {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body: string | null
}

export type CoverageSum = Data<ContractCoverage['kinds']['route']>

/** Only what the contract states is counted, nothing that was merely seen on one host. */
export type Coverage = Data<ContractCoverage>

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

export type HeldCall = Data<Pick<breakpoints.HeldCall, 'id' | 'point' | 'method' | 'path' | 'status'>>

/** A member that is left out stays as it is. */
export type HeldEdit = Data<breakpoints.HeldEdit>

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

export type MatcherOptions = KitOptions['toKeepContract']

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
