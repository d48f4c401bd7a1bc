// The format of a recording file (docs/recording-format.md): a zip with a manifest and parts, most
// of which are lines of JSON. electron/recording-file reads and writes it. Read this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { deviationSchema, type Deviation } from '../contract/deviation.ts'
import { operationSchema } from '../operations/operation.ts'
import { overrideRuleSchema } from '../panel/overrides.ts'
import { panelNoteSchema } from '../panel/panel.ts'
import { findingSchema } from '../protocol/finding.ts'
import { snapshotInfoSchema, type SnapshotInfo } from '../snapshots/snapshot.ts'
import { exchangeDetailSchema, originSchema, storedBodySchema, type ExchangeDetail } from '../traffic/exchange.ts'

export const RECORDING_FORMAT = 'bridge-inspector-recording'
/** Grows when a reader of an earlier version would misread a file. */
export const RECORDING_VERSION = 2
export const RECORDING_EXTENSION = '.birec'
/** HTTP archives (HAR 1.2) become recordings when they are opened. */
export const ARCHIVE_EXTENSION = '.har'
/** A page that holds a recording opens in a browser. */
export const PAGE_EXTENSION = '.html'
/** The page as it is built, beside the folder with the files that ship with the program. */
export const PAGE_TEMPLATE = '../out/page/recording-page.html'
/** True for the name of a file that can be opened in place of a host. */
export function isRecordingName(name: string): boolean {
  return /\.(?:birec|har)$/i.test(name)
}

const count = z.number().int().nonnegative()
/** A number in a file; SHA-256 in hex before it is written. */
const bodyNameSchema = z.string().regex(/^(?:\d{6,8}|[0-9a-f]{64})$/)
export function formatBodyName(number: number): string {
  return String(number).padStart(6, '0')
}

const bodyInfoSchema = storedBodySchema.omit({ hash: true })

/**
 * An exchange as it is stored in the program, except that its bodies are named beside it, so that a
 * body that is left out leaves no hash by which its content could be guessed.
 */
export const recordedExchangeSchema = exchangeDetailSchema.extend({
  request: bodyInfoSchema,
  response: bodyInfoSchema,
  /** Name of the body in `bodies`; null if the recording does not have it. */
  requestBody: bodyNameSchema.nullable(),
  responseBody: bodyNameSchema.nullable(),
  /** A read from before the span, without which the recording could not be opened or served. */
  context: z.literal(true).optional(),
})
export type RecordedExchange = z.infer<typeof recordedExchangeSchema>

/** Converts a stored exchange to its line. `getBodyName` returns null to leave a body out. */
export function toRecordedExchange(
  {
    request: { hash: requestHash, ...request },
    response: { hash: responseHash, ...response },
    ...rest
  }: ExchangeDetail,
  getBodyName: (hash: string) => string | null = (hash) => hash,
): RecordedExchange {
  return {
    ...rest,
    request,
    response,
    requestBody: requestHash === null ? null : getBodyName(requestHash),
    responseBody: responseHash === null ? null : getBodyName(responseHash),
  }
}

/** Converts a line back to the exchange that the lists and details of the program show. */
export function toExchangeDetail({
  requestBody,
  responseBody,
  context: _context,
  ...rest
}: RecordedExchange): ExchangeDetail {
  return {
    ...rest,
    request: { ...rest.request, hash: requestBody },
    response: { ...rest.response, hash: responseBody },
  }
}

/** An operation with its events and its proof, as `operations.get` returns it. */
export const recordedOperationSchema = operationSchema.extend({
  /** The run of the host that it was made for; null if unknown. */
  instanceNonce: z.string().nullable(),
})
export type RecordedOperation = z.infer<typeof recordedOperationSchema>

export const recordedPanelNoteSchema = panelNoteSchema.extend({
  /** The opening of the panel in which it happened (`Origin.caller`); null if unknown. */
  caller: z.string().nullable(),
})
export type RecordedPanelNote = z.infer<typeof recordedPanelNoteSchema>

/** The line that begins a snapshot is followed by one line per card, in the order of the tree. */
export const snapshotLineSchema = z.union([
  /** A card as in `formatSnapshotDocument`: its place in the tree and its listed members. */
  z.looseObject({ noteid: z.string(), parent: z.string().nullable() }),
  z.strictObject({ snapshot: snapshotInfoSchema }),
])
export type SnapshotLine = z.infer<typeof snapshotLineSchema>

/** Returns null for a line that is a card. */
export function getSnapshotInfo(line: SnapshotLine): SnapshotInfo | null {
  return 'noteid' in line ? null : (line as { readonly snapshot: SnapshotInfo }).snapshot
}

/** A deviation with its example, if this is from one of the exchanges: it is from the last one. */
export function limitExample(deviation: Deviation, seqs: { has(seq: number): boolean }): Deviation {
  return seqs.has(deviation.lastSeq) ? deviation : { ...deviation, example: null }
}

/** The reads of a connection without which a recording cannot be opened or served. */
export const contextEndpoints = ['status.get', 'capabilities.get', 'guide.get'] as const

/** The person's acts and observations, in their words. */
export const recordedStepSchema = z.strictObject({
  /** Epoch milliseconds; null for a remark about the whole recording. */
  at: timestampSchema.nullable(),
  text: z.string().max(10_000),
  /** `seq` of the exchange that it is about; null if none. */
  exchange: z.number().int().positive().nullable(),
  /** Name in `screenshots`, such as `0001.png`; null if there is none, or it was dropped. */
  screenshot: z.string().max(100).nullable(),
})
export type RecordedStep = z.infer<typeof recordedStepSchema>

/** A picture of a panel's page that the program took by itself. */
export const recordedMomentSchema = z.strictObject({
  /** Epoch milliseconds. */
  at: timestampSchema,
  /** `seq` of the exchange for which it was taken; null for a load of the page. */
  exchange: z.number().int().positive().nullable(),
  /** Name in `screenshots`; null if it was dropped. */
  screenshot: z.string().max(100).nullable(),
})
export type RecordedMoment = z.infer<typeof recordedMomentSchema>

/** The parts `<part>/0001.ndjson` and so on, one JSON object a line, exchanges by beginning. */
export const lineSchemas = {
  exchanges: recordedExchangeSchema,
  operations: recordedOperationSchema,
  findings: findingSchema,
  deviations: deviationSchema,
  console: recordedPanelNoteSchema,
  overrides: overrideRuleSchema,
  snapshots: snapshotLineSchema,
  steps: recordedStepSchema,
  moments: recordedMomentSchema,
} as const
export type LinePart = keyof typeof lineSchemas
export type RecordedLine<Part extends LinePart> = z.infer<(typeof lineSchemas)[Part]>
export const lineParts = Object.keys(lineSchemas) as readonly LinePart[]

/** `bodies/000001`, `screenshots/0001.png` or `.jpg`, and the one entry `report.md`. */
export const byteParts = ['bodies', 'screenshots', 'report'] as const
/** Types of screenshots, and how their names end. */
export const screenshotExtensions = { 'image/png': '.png', 'image/jpeg': '.jpg' } as const

/** Returns the type of a screenshot by its first bytes; null if a picture is of another type. */
export function findScreenshotType(start: Uint8Array): keyof typeof screenshotExtensions | null {
  const startsWith = (...bytes: readonly number[]): boolean => bytes.every((byte, index) => start[index] === byte)
  if (startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  return startsWith(0xff, 0xd8, 0xff) ? 'image/jpeg' : null
}

/** Parts without which a recording of this version cannot be understood. */
export const REQUIRED_PARTS: readonly LinePart[] = ['exchanges']

export const MANIFEST_ENTRY = 'manifest.json'
export const REPORT_ENTRY = 'report.md'
/** A segment of lines ends after as many lines or characters, whichever comes first. */
export const MAX_SEGMENT_LINES = 5_000
export const MAX_SEGMENT_CHARS = 16_000_000

/** Three segments of `a-z0-9._-` at most, beginning with none of `._-`, so none leads out. */
export const ENTRY_NAME_PATTERN = /^(?=.{1,200}$)[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*){0,2}$/

/** The part to which an entry belongs: its folder, or its name up to the first dot. */
export function getPartOfEntry(entry: string): string {
  return entry.split(/[/.]/, 1)[0] ?? ''
}

export function getSegmentName(part: string, index: number): string {
  return `${part}/${String(index + 1).padStart(4, '0')}.ndjson`
}

/**
 * Choices by kind. Texts of the library are kept, replaced by placeholders of the same length
 * that stay equal where they were equal, or dropped. Ids are kept, or mapped to others of the same
 * form. Pictures are kept, replaced by grey ones of the same size, or dropped. Tokens always go.
 */
export const redactionPolicySchema = z.strictObject({
  texts: z.enum(['keep', 'placeholder', 'drop']),
  ids: z.enum(['keep', 'map']),
  pictures: z.enum(['keep', 'grey', 'drop']),
})
export type RedactionPolicy = z.infer<typeof redactionPolicySchema>
/**
 * Joins two redactions done one after the other. A kind that the first one replaced is not whole
 * again because the second one kept it.
 * @returns null if neither replaced anything
 */
export function combineRedactions(first: RedactionPolicy | null, second: RedactionPolicy): RedactionPolicy | null {
  const choose = <Kind extends keyof RedactionPolicy>(kind: Kind): RedactionPolicy[Kind] => {
    // Sorted from the choice that leaves most to the one that leaves least.
    const rank: readonly string[] = redactionPolicySchema.shape[kind].options
    const choices = [first?.[kind] ?? second[kind], second[kind]]
    return choices.reduce((before, after) => (rank.indexOf(after) > rank.indexOf(before) ? after : before))
  }
  const combined = { texts: choose('texts'), ids: choose('ids'), pictures: choose('pictures') }
  return Object.values(combined).every((choice) => choice === 'keep') ? null : combined
}
export const DEFAULT_REDACTION: RedactionPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'grey' }

export const recordingSelectionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('span') }),
  z.strictObject({ kind: z.literal('origin'), origin: originSchema }),
  z.strictObject({ kind: z.literal('load'), caller: z.string(), load: z.number().int().positive() }),
  z.strictObject({ kind: z.literal('finding'), id: z.string() }),
  z.strictObject({ kind: z.literal('operation'), id: z.string() }),
  z.strictObject({ kind: z.literal('exchanges') }),
  /** The traffic of a command (`record -- CMD`). */
  z.strictObject({ kind: z.literal('command') }),
  z.strictObject({ kind: z.literal('comparison') }),
  /** The smallest case of what another recording shows. */
  z.strictObject({
    kind: z.literal('reduction'),
    /** Title of that recording, and when it was saved. */
    title: z.string().max(500),
    createdAt: z.number(),
    /** Id of the group of findings that is shown; null for a command that fails. */
    finding: z.string().max(2_000).nullable(),
  }),
  /** A HAR file that was imported. */
  z.strictObject({ kind: z.literal('archive') }),
])
export type RecordingSelection = z.infer<typeof recordingSelectionSchema>

/**
 * Why something is missing: the person left it out, a redaction removed it, the program had not
 * stored it, it is no longer stored, the format it came from does not hold it, or it is not needed
 * to show what the recording shows. The last five are those of entries of an archive; a body of
 * untrue encoding was read by what it is.
 */
const leftOutReasons = [
  'not-selected',
  'redacted',
  'not-stored',
  'no-longer-stored',
  'not-in-archive',
  'not-needed',
  'not-json',
  'no-time',
  'no-request',
  'not-http',
  'untrue-encoding',
] as const
export const leftOutSchema = z.strictObject({
  /**
   * A part, a kind of body (`pictures`, `documents`, `audio`, `video`, `texts`), `tokens`,
   * `finding-exchanges` from which a finding in the file follows as well, `entries` of an archive
   * that are no exchanges, or one of these, or its member (`log.entries[3].response.content`).
   */
  what: z.string().min(1).max(100),
  /** 0 if nobody knows how many there were. */
  count,
  why: z.enum(leftOutReasons),
})
export type LeftOut = z.infer<typeof leftOutSchema>

/** @param counts by what was left out; 0 if it was not */
export function listLeftOut(why: LeftOut['why'], counts: Readonly<Record<string, number>>): LeftOut[] {
  return Object.entries(counts).flatMap(([part, count]) => (count > 0 ? [{ what: part, count, why }] : []))
}

/** Each redaction counts replaced tokens anew, so a later count includes the earlier one. */
export function combineLeftOut(earlier: readonly LeftOut[], added: readonly LeftOut[]): LeftOut[] {
  const entries = new Map<string, LeftOut>()
  for (const entry of [...earlier, ...added]) {
    const key = `${entry.why} ${entry.what}`
    const count = entries.get(key)?.count ?? 0
    entries.set(key, { ...entry, count: entry.what === 'tokens' ? Math.max(entry.count, count) : entry.count + count })
  }
  return [...entries.values()]
}

/** The time from the first begin to the last end; null without rows. */
export function computeTimeSpan(
  rows: readonly Pick<RecordedExchange['row'], 'startedAt' | 'durationMs'>[],
): RecordingManifest['span'] {
  const span = { from: Infinity, to: -Infinity }
  for (const { startedAt, durationMs } of rows) {
    span.from = Math.min(span.from, startedAt)
    span.to = Math.max(span.to, startedAt + (durationMs ?? 0))
  }
  return rows.length === 0 ? null : span
}

/** Each card of a snapshot is a line, so lines do not tell the number of snapshots. */
export function formatPartCount(part: string, { entries, lines }: z.infer<typeof partSchema>): string {
  return part === 'snapshots' ? `${lines ?? entries} lines of` : String(lines ?? entries)
}

const partSchema = z.strictObject({
  entries: count,
  /** Number of lines; null for a part of bytes. */
  lines: count.nullable(),
})

export const recordingManifestSchema = z.strictObject({
  format: z.literal(RECORDING_FORMAT),
  version: z.number().int().positive(),
  /** A reader that does not know one of these parts must refuse the file. */
  requiredParts: z.array(z.string().max(100)).max(100),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Given by the person; empty if none. */
  title: z.string().max(500),
  program: z.strictObject({ name: z.string().max(100), version: z.string().max(100) }),
  /** The host of the newest exchange, as far as it reported anything about itself. */
  host: z.strictObject({
    baseUrl: z.string().max(2000).nullable(),
    name: z.string().max(500).nullable(),
    version: z.string().max(500).nullable(),
  }),
  /** Begin of the first and end of the last exchange, in epoch milliseconds; null without any. */
  span: z.strictObject({ from: z.number(), to: z.number() }).nullable(),
  selection: recordingSelectionSchema,
  /** Every part of the file except `integrity`. */
  parts: z.record(z.string().max(100), partSchema),
  leftOut: z.array(leftOutSchema).max(1_000),
  /** Null if nothing was redacted. */
  redaction: redactionPolicySchema.nullable(),
})
export type RecordingManifest = z.infer<typeof recordingManifestSchema>
/** The manifest without what follows from the parts. */
export type ManifestFacts = Omit<RecordingManifest, 'format' | 'version' | 'requiredParts' | 'parts'>

/** `params.entry` names the entry, except for errors about the file as a whole. */
export const recordingErrorCodes = [
  /** There is no such file, or it may not be read. */
  'RECORDING_UNREADABLE',
  /** The file is no zip, or no recording. */
  'RECORDING_NOT_A_RECORDING',
  /** The end of the file is missing. */
  'RECORDING_TRUNCATED',
  /** The name of an entry leads out of a folder, occurs twice, or is none of the format. */
  'RECORDING_ENTRY_NAME',
  /** The bytes of an entry are not those that were written. */
  'RECORDING_ENTRY_DAMAGED',
  /** An entry has more bytes than it declares, or more than a reader accepts. */
  'RECORDING_ENTRY_TOO_LARGE',
  /** The file has more entries, lines or bytes (`params.unit`) than `params.limit`. */
  'RECORDING_TOO_LARGE',
  'RECORDING_ENTRY_MISSING',
  /** A line or the manifest is not what the format says; `params.line` is its number from 1. */
  'RECORDING_ENTRY_INVALID',
  /** The file was written by a newer version of the program. */
  'RECORDING_NEWER',
  /** The file has the first format, whose seals did not find every change. */
  'RECORDING_OLDER',
  /** The file needs a part (`params.part`) that this version does not know. */
  'RECORDING_PART_UNKNOWN',
  /** The recording does not have this body. */
  'RECORDING_BODY_MISSING',
  /** A page holds at most `params.limit` of recording; this one has `params.size`, in MB. */
  'RECORDING_TOO_LARGE_FOR_PAGE',
  /** A checkout that was never built has no page into which a recording could be written. */
  'RECORDING_PAGE_NOT_BUILT',
  /** Nothing can be sent while a recording is open. */
  'RECORDING_READ_ONLY',
] as const
export type RecordingErrorCode = (typeof recordingErrorCodes)[number]
