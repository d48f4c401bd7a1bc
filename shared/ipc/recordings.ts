import { z } from 'zod'
import { comparedPairSchema, comparisonFactsSchema } from '../recordings/comparison/run-difference.ts'
import {
  leftOutSchema,
  recordedMomentSchema,
  recordedStepSchema,
  recordingManifestSchema,
  redactionPolicySchema,
} from '../recordings/recording.ts'
import { findingGroupSchema } from '../protocol/finding.ts'
import { redactionPreviewSchema } from '../recordings/redaction/redaction-tally.ts'
import { recordingVerificationSchema } from '../recordings/verification.ts'
import { exchangeRowSchema } from '../traffic/exchange.ts'
import { trafficFilterSchema } from '../traffic/traffic-filter.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const count = z.number().int().nonnegative()
const recordingId = z.string().min(1).max(100)
const seq = z.number().int().positive()

export const MAX_SELECTED_EXCHANGES = 100_000
export const MAX_RECORDING_NAME_CHARS = 200
export const MAX_STEPS_CHARS = 10_000
/** Pictures that the user adds to the steps. */
export const MAX_PICTURES = 20
export const MAX_PICTURE_BYTES = 10_000_000
export const MAX_REPORT_CHARS = 1_000_000
export const MAX_RECORDING_SLICE_BYTES = 8 * 1024 * 1024

/** Everything that belongs to the selected exchanges is saved with them. */
export const recordingSelectionInputSchema = z.discriminatedUnion('kind', [
  /** All exchanges of a time span, of an origin, or of one load of a panel. */
  z.strictObject({ kind: z.literal('filter'), filter: trafficFilterSchema }),
  /** Exchanges that the user chose, or the two of a comparison. */
  z.strictObject({
    kind: z.literal('exchanges'),
    seqs: z.array(seq).min(1).max(MAX_SELECTED_EXCHANGES),
    isComparison: z.boolean().optional(),
  }),
  /** The id of a group of findings. */
  z.strictObject({ kind: z.literal('finding'), id: z.string().min(1).max(2_000) }),
  z.strictObject({ kind: z.literal('operation'), id: z.string().min(1).max(100) }),
  /** Requests of recorded clients in this run of the program. */
  z.strictObject({ kind: z.literal('command') }),
])
export type RecordingSelectionInput = z.infer<typeof recordingSelectionInputSchema>

/** Lines of the parts of lines, and files of the parts of bytes, by the name of the part. */
const countsSchema = z.record(z.string(), count)
export type RecordingCounts = z.infer<typeof countsSchema>

const servedSchema = z.strictObject({
  /** Address of the bridge that responds as recorded. */
  baseUrl: z.string(),
  tokenFile: z.string(),
})

/** A recording that the data directory knows. */
export const recordingEntrySchema = z.strictObject({
  id: z.string(),
  /** Absolute path. */
  file: z.string(),
  name: z.string(),
  /** Null if the file is from elsewhere. */
  savedAt: z.number().nullable(),
  /** When it was last opened; null if it never was. */
  openedAt: z.number().nullable(),
  /** True if the file is no longer where it was. */
  isRemoved: z.boolean(),
  /** True if the program keeps the file; otherwise the user does. */
  isInDataDir: z.boolean(),
  bytes: count,
  span: recordingManifestSchema.shape.span,
  host: recordingManifestSchema.shape.host,
  counts: countsSchema,
  redaction: recordingManifestSchema.shape.redaction,
  /** Fingerprint of the key of the first signature; null if the file is not signed. */
  fingerprint: z.string().nullable(),
  /** Null unless this program serves the recording now. */
  served: servedSchema.nullable(),
})
export type RecordingEntry = z.infer<typeof recordingEntrySchema>

const previewSchema = z.strictObject({
  counts: countsSchema,
  /** Bytes of the stored bodies before compression; equal ones are counted once. */
  bodyBytes: count,
  span: recordingManifestSchema.shape.span,
  hosts: z.array(z.string()),
  /** Reads from before the span, without which the recording could not be opened. */
  contextExchanges: count,
  leftOut: z.array(leftOutSchema),
  /** It covers the first `sampledExchanges` and the other parts. */
  redacted: redactionPreviewSchema,
  sampledExchanges: count,
})
export type RecordingPreview = z.infer<typeof previewSchema>

/** In Markdown, of at most `MAX_REPORT_CHARS`; null if the file has none. */
const reportSchema = z.strictObject({ text: z.string(), isCut: z.boolean() }).nullable()

const infoSchema = z.strictObject({
  entry: recordingEntrySchema,
  manifest: recordingManifestSchema,
  /** Parts that this version does not know, and keeps as they are. */
  unknownParts: z.array(z.string()),
  steps: z.array(recordedStepSchema),
  /** The pictures that the program took by itself, without those that were dropped. */
  moments: z.array(recordedMomentSchema),
  report: reportSchema,
  findings: z.array(findingGroupSchema),
})
export type RecordingInfo = z.infer<typeof infoSchema>

const verificationSchema = recordingVerificationSchema.extend({
  /** Fingerprint of the key with which this data directory signs. */
  ownFingerprint: z.string(),
})
export type CheckedRecording = z.infer<typeof verificationSchema>

const sizeSchema = z.strictObject({
  exchanges: count,
  cards: count,
})

const smallestCaseSchema = z.strictObject({
  entry: recordingEntrySchema,
  before: sizeSchema,
  after: sizeSchema,
  tries: count,
  /** Nothing further can be left out. False if there was no time to try. */
  isMinimal: z.boolean(),
  /** Two further tries showed the finding as well. */
  isSteady: z.boolean(),
})
export type SmallestCase = z.infer<typeof smallestCaseSchema>

const archiveSchema = z.strictObject({
  file: z.string(),
  entries: count,
  /** Number of lines or entries of each part for which an archive has no place. */
  leftOut: countsSchema,
})
export type ExportedArchive = z.infer<typeof archiveSchema>

/** A recording that the program shows in place of a host. */
const openRecordingSchema = z.strictObject({
  entry: recordingEntrySchema,
  openedAt: z.number(),
})
export type OpenRecording = z.infer<typeof openRecordingSchema>

export const recordingSourceSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('list'), id: recordingId }),
  z.strictObject({ from: z.literal('path'), path: z.string().min(1).max(4_000) }),
  /** A file that the page has uploaded with `uploads.begin` and `uploads.add`. */
  z.strictObject({
    from: z.literal('upload'),
    uploadId: z.string().max(100),
    name: z.string().max(MAX_RECORDING_NAME_CHARS),
  }),
])
export type RecordingSource = z.infer<typeof recordingSourceSchema>

const runSourceSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('list'), id: recordingId }),
  /** Stored traffic, such as a load of a panel or a span. */
  z.strictObject({ from: z.literal('traffic'), filter: trafficFilterSchema }),
])
export type RunSource = z.infer<typeof runSourceSchema>

export const MAX_COMPARED_EXCHANGES = 20_000
export const MAX_PAIRS_PER_CALL = 200
export const MAX_LISTED_ID_PAIRS = 200

/** Calls, and names of cards in them, beyond which a path ends. */
export const MAX_PATH_CALLS = 10_000
export const MAX_PATH_NAMES = 50_000

/** A request that names cards. */
const cardCallSchema = z.strictObject({
  seq: z.number().int().positive(),
  startedAt: z.number(),
  method: z.string(),
  /** Path template; null if no endpoint fits. */
  template: z.string().nullable(),
  isWrite: z.boolean(),
  /** Indexes in `noteids`. */
  cards: z.array(count).min(1),
})
export type CardCall = z.infer<typeof cardCallSchema>

/** The cards that the requests of a run name. */
const cardPathSchema = z.strictObject({
  noteids: z.array(z.string()),
  /** Sorted by their begin. */
  calls: z.array(cardCallSchema),
  searched: count,
  /** Number of those that may name further cards: their bodies are not stored, or no JSON. */
  unread: count,
  /** True if the run goes on after the last call. */
  isCut: z.boolean(),
})
export type CardPath = z.infer<typeof cardPathSchema>

/** A load of a panel, or a run of a recorded client. */
const runLoadSchema = z.strictObject({
  /** `caller`, `load` and `label` of the origin. */
  caller: z.string(),
  load: z.number().int().positive(),
  label: z.string().nullable(),
  startedAt: z.number(),
  exchanges: count,
  /** Number of findings that belong to it. */
  findings: count,
})
export type RunLoad = z.infer<typeof runLoadSchema>

const comparedRunSchema = z.strictObject({ exchanges: count, startedAt: z.number().nullable(), durationMs: z.number() })

/** The result of `compareRuns` without the pairs. */
const runComparisonSchema = comparisonFactsSchema.extend({
  /** Id by which the pairs can be read as long as the program remembers the comparison. */
  comparison: z.string(),
  pairCount: count,
  /** The first pairs of ids that are spelled differently and count as the same. */
  ids: z.array(z.strictObject({ before: z.string(), after: z.string() })).max(MAX_LISTED_ID_PAIRS),
  idCount: count,
  before: comparedRunSchema,
  after: comparedRunSchema,
})
export type RunComparisonSummary = z.infer<typeof runComparisonSchema>

const listedPairSchema = comparedPairSchema.extend({
  beforeRow: exchangeRowSchema.nullable(),
  afterRow: exchangeRowSchema.nullable(),
})
export type ListedPair = z.infer<typeof listedPairSchema>

/** The page chooses it, and finds the progress of its own job by it. */
const jobId = z.string().min(1).max(100)
const chosenMembers = {
  selection: recordingSelectionInputSchema,
  redaction: redactionPolicySchema,
  /** Uploads of the PNG and JPEG files that the user adds, each as a step; they stay uploaded. */
  pictures: z.array(z.string().min(1).max(100)).max(MAX_PICTURES).optional(),
}

export const recordingsMethods = {
  /** The newest first. */
  'recordings.list': defineQueryMethod(emptySchema, z.strictObject({ recordings: z.array(recordingEntrySchema) })),
  /**
   * Describes a recording before it is saved. Nothing is written.
   * @throws SELECTION_EMPTY if nothing is selected (any more), OPERATION_UNKNOWN, FINDING_UNKNOWN,
   * UPLOAD_UNKNOWN, UPLOAD_INCOMPLETE, PICTURE_UNUSABLE
   */
  'recordings.preview': defineQueryMethod(z.strictObject(chosenMembers), previewSchema),
  /**
   * Writes the selection to a file. The desktop app asks where; in the browser the file is kept in
   * the data directory, from where the page downloads it. Cancelling leaves no file.
   * @returns null if the user closed the dialog
   * @throws SAVE_FAILED, and the errors of `recordings.preview`; for a page also those of
   *   `recordings.exportPage`
   */
  'recordings.save': defineCommandMethod(
    z.strictObject({
      ...chosenMembers,
      jobId,
      name: z.string().min(1).max(MAX_RECORDING_NAME_CHARS),
      /** Steps and words of the user, in Markdown. */
      steps: z.string().max(MAX_STEPS_CHARS),
      /** The default is a recording. A page holds one, and is not listed. */
      format: z.enum(['recording', 'page']).optional(),
    }),
    z.strictObject({
      entry: recordingEntrySchema.nullable(),
      /** Only for a page: nothing reads it again. */
      report: reportSchema.optional(),
    }),
  ),
  /** @throws RECORDING_UNKNOWN, and the errors of reading a recording */
  'recordings.info': defineQueryMethod(z.strictObject({ id: recordingId }), infoSchema),
  /** @throws RECORDING_UNKNOWN, SCREENSHOT_UNKNOWN, and the errors of reading a recording */
  'recordings.screenshot': defineBinaryQueryMethod(
    z.strictObject({ id: recordingId, name: z.string().max(100) }),
    emptySchema,
  ),
  /** Reads the whole file. @throws RECORDING_UNKNOWN, and the errors of reading a recording */
  'recordings.verify': defineQueryMethod(z.strictObject({ id: recordingId, jobId }), verificationSchema),
  /** Writes a further file with less in it. The first one stays. @returns null if cancelled */
  'recordings.redact': defineCommandMethod(
    z.strictObject({ source: recordingSourceSchema, jobId, redaction: redactionPolicySchema }),
    z.strictObject({ entry: recordingEntrySchema.nullable() }),
  ),
  /**
   * Writes a further file with the fewest exchanges and the fewest cards that still show a finding
   * when the recorded requests are sent again to what remains. The first file stays.
   * @returns null if the user closed the dialog
   * @throws FINDING_UNKNOWN, and FINDING_NOT_REPEATED if the exchanges alone do not show it
   */
  'recordings.reduce': defineCommandMethod(
    z.strictObject({
      id: recordingId,
      jobId,
      /** Id of the group of findings. */
      finding: z.string().min(1).max(2_000),
      name: z.string().min(1).max(MAX_RECORDING_NAME_CHARS),
    }),
    z.strictObject({ result: smallestCaseSchema.nullable() }),
  ),
  /**
   * Writes the exchanges as an HTTP archive (HAR 1.2). The desktop app asks where; in the browser
   * the page reads it with `recordings.slice`.
   * @returns null if the user closed the dialog
   * @throws RECORDING_UNKNOWN, SAVE_FAILED, and the errors of reading a recording
   */
  'recordings.exportArchive': defineCommandMethod(
    z.strictObject({ id: recordingId }),
    z.strictObject({ archive: archiveSchema.nullable() }),
  ),
  /**
   * Writes the recording as a page: one HTML file that holds it. Like `recordings.exportArchive`.
   * @returns null if the user closed the dialog
   * @throws RECORDING_UNKNOWN, RECORDING_PAGE_NOT_BUILT, RECORDING_TOO_LARGE_FOR_PAGE, SAVE_FAILED,
   *   and those of reading one
   */
  'recordings.exportPage': defineCommandMethod(
    z.strictObject({ id: recordingId }),
    z.strictObject({ page: z.strictObject({ file: z.string(), bytes: count }).nullable() }),
  ),
  /** Removes it from the list, and with `removesFile` a file in the data directory as well. */
  'recordings.forget': defineCommandMethod(z.strictObject({ id: recordingId, removesFile: z.boolean() }), emptySchema),
  /** Bytes `start` to `end` (exclusive). @throws RECORDING_UNKNOWN, RECORDING_REMOVED */
  'recordings.slice': defineBinaryQueryMethod(
    z.strictObject({
      id: recordingId,
      start: count,
      end: z.number().int().positive(),
      /** What was written of it in the browser, or in place of it by `recordings.save`. */
      exported: z.enum(['archive', 'page']).optional(),
    }),
    z.strictObject({ start: count, total: count }),
  ),
  /** Responds as recorded at an address of this machine, until it is stopped. */
  'recordings.serve': defineCommandMethod(z.strictObject({ id: recordingId }), recordingEntrySchema),
  'recordings.stopServing': defineCommandMethod(z.strictObject({ id: recordingId }), recordingEntrySchema),
  /** Replaces the host; pages must reload. @throws errors of reading, and opens nothing */
  'recordings.open': defineCommandMethod(z.strictObject({ source: recordingSourceSchema }), openRecordingSchema),
  /** Goes back to what was shown before. */
  'recordings.close': defineCommandMethod(emptySchema, emptySchema),
  'recordings.current': defineQueryMethod(emptySchema, z.strictObject({ open: openRecordingSchema.nullable() })),
  /** Asks the user; the path is null if they cancel. @throws NOT_HERE in the browser */
  'recordings.choose': defineCommandMethod(emptySchema, z.strictObject({ path: z.string().nullable() })),
  /** Loads that can be compared, the newest first. */
  'recordings.loads': defineQueryMethod(emptySchema, z.strictObject({ loads: z.array(runLoadSchema) })),
  /** @throws RECORDING_UNKNOWN, SELECTION_EMPTY, RUN_TOO_LONG, errors of reading a recording */
  'recordings.compare': defineQueryMethod(
    z.strictObject({ before: runSourceSchema, after: runSourceSchema, jobId }),
    runComparisonSchema,
  ),
  /**
   * The cards that the requests of a run name, as a path through a mind map.
   * @throws RECORDING_UNKNOWN, SELECTION_EMPTY, RUN_TOO_LONG, errors of reading a recording
   */
  'recordings.cardPath': defineQueryMethod(z.strictObject({ source: runSourceSchema }), cardPathSchema),
  /** @throws COMPARISON_UNKNOWN */
  'recordings.comparedPairs': defineQueryMethod(
    z.strictObject({
      comparison: z.string().max(100),
      start: count,
      count: z.number().int().positive().max(MAX_PAIRS_PER_CALL),
    }),
    z.strictObject({ pairs: z.array(listedPairSchema).max(MAX_PAIRS_PER_CALL) }),
  ),
  /** Reads one body of the pair at a position. @throws COMPARISON_UNKNOWN, BODY_NOT_KEPT */
  'recordings.comparedBody': defineBinaryQueryMethod(
    z.strictObject({ comparison: z.string().max(100), side: z.enum(['before', 'after']), pair: count }),
    emptySchema,
  ),
  /** Shows the file in the folder of the system. @throws NOT_HERE in the browser */
  'recordings.reveal': defineCommandMethod(z.strictObject({ id: recordingId }), emptySchema),
}

export const recordingsTopics = {
  /** The list changed, or what is served. */
  'recordings.changed': defineTopic(emptySchema),
  /** A recording was opened or closed, so every page must be loaded again. */
  'recordings.sessionChanged': defineTopic(emptySchema),
  /**
   * How far a long job is; `total` is null as long as it is unknown. For `reduce`, `done` is the
   * number of tries, and `smallest` that of exchanges in the smallest case so far.
   */
  'recordings.progress': defineTopic(
    z.strictObject({ jobId, done: count, total: count.nullable(), smallest: count.optional() }),
  ),
}
