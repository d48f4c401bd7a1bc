import { AppError, createCancelledError } from '../../shared/errors.ts'
import { MANIFEST_ENTRY, REPORT_ENTRY } from '../../shared/recordings/recording.ts'
import type {
  EntryVerification,
  RecordingVerification,
  RemovedValue,
  SealVerification,
} from '../../shared/recordings/verification.ts'
import { DocumentCheck, type DocumentOutcome } from './document-check.ts'
import type { RecordingFile } from './recording-file.ts'
import { checkSignature, getSealDir, INTEGRITY_PART, type Roots } from './seal.ts'
import { listSealEntries, listSeals, readLeafRecords, readSeal } from './seal-reader.ts'
import { hashRoots } from './seal-writer.ts'
import type { ZipReader } from './zip-reader.ts'
import { findChangedSurroundings } from './zip-surroundings.ts'

/** Further removed values are only counted. */
const MAX_LISTED_VALUES = 10_000

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined
  /** Reports the number of documents that were checked, of all seals, and their total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Reads all of a recording and compares it with its seals.
 * @throws CANCELLED; damage is no error but a part of the result
 */
export async function verifyRecording(
  { zip }: RecordingFile,
  { signal, onProgress }: VerifyOptions = {},
): Promise<RecordingVerification> {
  const damage = new Map<string, string>()
  const seals: {
    readonly number: number
    readonly roots: Roots
    readonly digest: string
    readonly report: SealReport
  }[] = []
  for (const number of listSeals(zip)) {
    try {
      const { roots, bytes, signature } = await readSeal(zip, number)
      const fingerprint = signature === null ? null : checkSignature(bytes, signature)
      const report = new SealReport(
        number,
        roots,
        signature?.fingerprint ?? null,
        signature === null || fingerprint !== null,
      )
      if (fingerprint !== null) report.fingerprint = fingerprint
      seals.push({ number, roots, digest: hashRoots(bytes), report })
    } catch (error) {
      addDamage(damage, `${getSealDir(number)}/roots`, error)
    }
  }
  const total = seals.reduce((sum, { roots }) => sum + roots.lines.length, 0)
  let done = 0
  const countDocument = (): void => {
    if (signal?.aborted === true) throw createCancelledError()
    done += 1
    if (done % 100 === 0) onProgress?.(done, total)
  }
  for (const seal of seals) {
    compareEarlierSeals(seal.roots.earlier, seals, seal.report)
    await checkSeal(zip, seal.number, seal.roots, seal.report, damage, countDocument)
  }
  await readRest(
    zip,
    seals.map(({ report }) => report),
    new Set(seals.flatMap(({ number }) => listSealEntries(zip, number))),
    damage,
    signal,
  )
  const changed = await findChangedSurroundings(zip)
  const problems = [...damage].map(([entry, reason]) => ({ entry, reason }))
  for (const problem of changed) if (!damage.has(problem.entry)) problems.push(problem)
  const results = seals.map(({ report }) => report.finish())
  return { isIntact: problems.length === 0 && areIntact(results), problems, seals: results }
}

function areIntact(seals: readonly SealVerification[]): boolean {
  const last = seals.at(-1)
  if (!last || seals.some(({ isSignatureValid }) => !isSignatureValid)) return false
  return (
    last.entries.every(({ state }) => state === 'intact') &&
    seals.every(({ entries }) => entries.every(({ state }) => state !== 'altered' && state !== 'missing'))
  )
}

/** A seal names those before it, so that none of them can be taken out or replaced. */
function compareEarlierSeals(
  earlier: readonly string[],
  seals: readonly { readonly number: number; readonly digest: string }[],
  report: SealReport,
): void {
  for (const [index, digest] of earlier.entries()) {
    const entry = `${getSealDir(index + 1)}/roots`
    const seal = seals.find(({ number }) => number === index + 1)
    if (!seal) report.add(entry, null, { state: 'missing' })
    else if (seal.digest !== digest) report.add(entry, null, { state: 'altered', reason: 'it is another seal' })
  }
}

async function checkSeal(
  zip: ZipReader,
  number: number,
  { lines }: Roots,
  report: SealReport,
  damage: Map<string, string>,
  countDocument: () => void,
): Promise<void> {
  const check = new DocumentCheck(zip, number)
  let checked = 0
  let lastEntry: string | null = null
  const finishEntry = async (): Promise<void> => {
    if (lastEntry === null || damage.has(lastEntry)) return
    const further = await check.countFurtherLines(lastEntry)
    if (further > 0)
      report.add(lastEntry, null, { state: 'altered', reason: `${further} of its lines were not sealed` })
  }
  try {
    for await (const record of readLeafRecords(zip, number)) {
      countDocument()
      const root = lines[checked]
      if (root === undefined || record.document !== checked + 1) break
      checked += 1
      const entry = record.entry ?? root.name.split(':', 1)[0] ?? root.name
      if (entry !== lastEntry) await finishEntry()
      lastEntry = entry
      report.add(entry, record.line ?? null, await tryCheck(check.check(record, root), entry, damage))
    }
    await finishEntry()
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'CANCELLED') throw error
    addDamage(damage, String(error.wire.params?.['entry']), error)
  }
  for (const { name } of lines.slice(checked))
    report.add(name.split(':', 1)[0] ?? name, null, { state: 'altered', reason: 'its hashes are missing' })
}

async function tryCheck(
  outcome: Promise<DocumentOutcome>,
  entry: string,
  damage: Map<string, string>,
): Promise<DocumentOutcome> {
  try {
    return await outcome
  } catch (error) {
    return { state: 'altered', reason: addDamage(damage, entry, error) }
  }
}

/** Reads the entries that no seal covers, and lists them as added. */
async function readRest(
  zip: ZipReader,
  reports: readonly SealReport[],
  sealEntries: ReadonlySet<string>,
  damage: Map<string, string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const name of zip.entries.keys()) {
    if (signal?.aborted === true) throw createCancelledError()
    const isSealed = sealEntries.has(name) || reports.some((report) => report.has(name))
    if (!isSealed || sealEntries.has(name))
      try {
        for await (const chunk of zip.read(name)) void chunk
      } catch (error) {
        addDamage(damage, name, error)
      }
    if (isSealed && name.startsWith(`${INTEGRITY_PART}/`)) continue
    for (const [index, report] of reports.entries()) {
      // A redaction writes a manifest and a report of its own.
      const isExpected = (name === MANIFEST_ENTRY || name === REPORT_ENTRY) && index < reports.length - 1
      if (!report.has(name) && !isExpected) report.add(name, null, { state: 'added' })
    }
  }
}

function addDamage(damage: Map<string, string>, entry: string, error: unknown): string {
  if (!(error instanceof AppError)) throw error
  const reason = String(error.wire.params?.['reason'] ?? error.message)
  if (!damage.has(entry)) damage.set(entry, reason)
  return reason
}

/** Collects what became of each entry since a seal was made. */
class SealReport {
  fingerprint: string | null
  readonly #number: number
  readonly #roots: Roots
  readonly #isSignatureValid: boolean
  readonly #entries = new Map<string, EntryVerification>()
  readonly #removed: RemovedValue[] = []
  #removedValues = 0

  constructor(number: number, roots: Roots, fingerprint: string | null, isSignatureValid: boolean) {
    this.#number = number
    this.#roots = roots
    this.fingerprint = fingerprint
    this.#isSignatureValid = isSignatureValid
  }

  has(entry: string): boolean {
    return this.#entries.has(entry)
  }

  add(entry: string, line: number | null, outcome: DocumentOutcome | { readonly state: 'added' }): void {
    const report = this.#entries.get(entry) ?? {
      entry,
      state: 'intact',
      removedValues: 0,
      replaced: 0,
      line: null,
      reason: '',
    }
    this.#entries.set(entry, report)
    if (outcome.state === 'redacted') this.#addRemoved(report, line, outcome.removed)
    if (outcome.state === 'replaced' || outcome.state === 'removed') report.replaced += 1
    const state = outcome.state === 'replaced' ? 'redacted' : outcome.state
    if (STATE_RANKS[state] <= STATE_RANKS[report.state]) return
    report.state = state
    if (outcome.state !== 'altered' && outcome.state !== 'missing') return
    report.line = line
    report.reason = outcome.state === 'altered' ? outcome.reason : ''
  }

  finish(): SealVerification {
    return {
      number: this.#number,
      createdAt: this.#roots.createdAt,
      program: this.#roots.program,
      fingerprint: this.fingerprint,
      isSignatureValid: this.#isSignatureValid,
      entries: [...this.#entries.values()],
      removed: this.#removed,
      removedValues: this.#removedValues,
    }
  }

  #addRemoved(report: EntryVerification, line: number | null, pointers: readonly string[]): void {
    report.removedValues += pointers.length
    this.#removedValues += pointers.length
    for (const pointer of pointers)
      if (this.#removed.length < MAX_LISTED_VALUES) this.#removed.push({ entry: report.entry, line, pointer })
  }
}

/** An entry is in the worst of the states of its documents. */
const STATE_RANKS = { intact: 0, removed: 1, redacted: 2, added: 3, missing: 4, altered: 5 } as const
