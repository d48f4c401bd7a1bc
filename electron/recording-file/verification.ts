import { assertNotCancelled } from '../../shared/errors.ts'
import { MANIFEST_ENTRY, REPORT_ENTRY, type RecordingManifest } from '../../shared/recordings/recording.ts'
import {
  addEntry,
  getEntryKind,
  getSealDir,
  INTEGRITY_PART,
  toHex,
  type Leaf,
  type SealedEntry,
} from '../core/recordings/seal.ts'
import type { RecordingVerification } from '../../shared/recordings/verification.ts'
import type { RecordingReader } from './recording-reader.ts'
import { getDamage, hashContents, LeafReader, readSeals, WRONG_COUNT, type Seal } from './seal-reader.ts'
import { type ZipReader, hasMeaninglessBits } from './zip-reader.ts'
import { readBytes } from './zip-directory.ts'
import {
  getDescriptor,
  getDirectoryRecord,
  getEnd,
  getLocalHeader,
  hasDescriptor,
  LOCAL_HEADER_BYTES,
  type ZipEntry,
} from './zip-records.ts'

/**
 * Checks the bytes that reading does not use: headers, what is between the entries, the directory
 * and the end of the file. Each of them follows from the entries, if this program wrote the file.
 */
async function findChangedSurroundings(zip: ZipReader): Promise<{ entry: string; reason: string }[]> {
  const problems: { entry: string; reason: string }[] = []
  const sorted = [...zip.entries.values()].sort((first, second) => first.headerOffset - second.headerOffset)
  for (const [index, entry] of sorted.entries()) {
    const end = sorted[index + 1]?.headerOffset ?? zip.directoryStart
    const reason = await checkEntry(zip, entry, index === 0 ? 0 : entry.headerOffset, end)
    if (reason !== null) problems.push({ entry: entry.name, reason })
  }
  const directory = await readBytes(zip.platform.source, zip.directoryStart, zip.directoryEnd - zip.directoryStart)
  let offset = 0
  for (const entry of zip.entries.values()) {
    const record = getDirectoryRecord(entry)
    if (!directory.subarray(offset, offset + record.length).equals(record))
      problems.push({ entry: entry.name, reason: 'its record in the directory was changed' })
    offset += record.length
  }
  const { directoryEnd } = zip
  const { fileBytes } = zip.platform
  // The end repeats where the directory is and how many entries it has.
  const tail = await readBytes(zip.platform.source, directoryEnd, Math.min(fileBytes - directoryEnd, 1_024))
  if (!tail.equals(getEnd(zip))) problems.push({ entry: 'the end of the file', reason: 'it was changed' })
  return problems
}

async function checkEntry(zip: ZipReader, entry: ZipEntry, expectedStart: number, end: number): Promise<string | null> {
  if (entry.headerOffset !== expectedStart) return 'there are bytes in front of it'
  const header = await readBytes(zip.platform.source, entry.headerOffset, LOCAL_HEADER_BYTES + entry.name.length)
  if (!header.equals(getLocalHeader(entry))) return 'its header was changed'
  if (await hasMeaninglessBits(zip.platform, entry)) return 'its last byte was changed'
  const dataEnd = entry.headerOffset + header.length + entry.compressedSize
  const tail = await readBytes(zip.platform.source, dataEnd, end - dataEnd)
  if (!hasDescriptor(entry)) return tail.length === 0 ? null : 'there are bytes after it'
  return [getDescriptor(entry, false), getDescriptor(entry, true)].some((descriptor) => descriptor.equals(tail))
    ? null
    : 'its descriptor was changed'
}

/** Stands for the number of a seal where there is none. */
const NO_SEAL = 0

/**
 * Names for each leaf of an entry the first seal that has its content, and the first signed one.
 */
interface LeafSources {
  readonly firstSeals: number[]
  readonly signedSeals: number[]
}

/** Further problems say nothing new. */
const MAX_PROBLEMS = 1_000

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined
  /** Reports the number of lines and entries that were checked, for all seals, and their total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** Compares a recording with its seals; damage is a part of the result. @throws CANCELLED */
export async function verifyRecording(
  { zip, manifest }: Pick<RecordingReader, 'zip' | 'manifest'>,
  options: VerifyOptions = {},
): Promise<RecordingVerification> {
  const verification = new Verification(zip, options)
  await verification.checkSeals()
  for (const { entry, reason } of await findChangedSurroundings(zip)) verification.addProblem(entry, reason)
  return verification.finish(manifest)
}

class Verification {
  readonly #zip: ZipReader
  readonly #options: VerifyOptions
  readonly #problems = new Map<string, string>()
  readonly #sources = new Map<string, LeafSources>()
  readonly #removed = new Set<string>()
  #seals: readonly Seal[] = []
  #done = 0
  #total = 0

  constructor(zip: ZipReader, options: VerifyOptions) {
    this.#zip = zip
    this.#options = options
  }

  addProblem(entry: string, reason: string): void {
    if (this.#problems.size < MAX_PROBLEMS && !this.#problems.has(entry)) this.#problems.set(entry, reason)
  }

  async checkSeals(): Promise<void> {
    try {
      this.#seals = await readSeals(this.#zip)
    } catch (error) {
      const { entry, reason } = getDamage(error)
      this.addProblem(entry, reason)
    }
    this.#total = this.#seals.reduce(
      (sum, { entries }) => sum + entries.reduce((count, entry) => count + entry.count, 0),
      0,
    )
    for (const [index, seal] of this.#seals.entries()) {
      this.#checkHead(seal, this.#seals.slice(0, index))
      await this.#checkSeal(seal, seal.number === this.#seals.length)
    }
    await this.#compareNames(this.#seals.at(-1)?.entries ?? [])
  }

  finish(manifest: RecordingManifest): RecordingVerification {
    const amounts = new Map<number, { lines: number; entries: number }>()
    const replaced: { entry: string; count: number }[] = []
    const total = { lines: 0, entries: 0 }
    let unsignedCount = 0
    for (const [entry, { firstSeals, signedSeals }] of this.#sources) {
      const member = getEntryKind(entry) === 'lines' ? 'lines' : 'entries'
      const count = firstSeals.filter((number) => number !== 1).length
      if (count > 0) replaced.push({ entry, count })
      total[member] += firstSeals.length
      for (const [index, firstSeal] of firstSeals.entries()) {
        const signedSeal = signedSeals[index] ?? NO_SEAL
        if (signedSeal === NO_SEAL) unsignedCount += 1
        const number = signedSeal === NO_SEAL ? firstSeal : signedSeal
        const amount = amounts.get(number) ?? { lines: 0, entries: 0 }
        amount[member] += 1
        amounts.set(number, amount)
      }
    }
    const removed = [...this.#removed]
    const hasOnlyTokensClaim = manifest.redaction === null
    const changes = [...removed, ...replaced.map(({ entry }) => entry)].filter(
      (entry) => entry !== MANIFEST_ENTRY && entry !== REPORT_ENTRY,
    )
    if (hasOnlyTokensClaim && changes.length > 0 && manifest.leftOut.every(({ why }) => why !== 'redacted'))
      this.addProblem(MANIFEST_ENTRY, 'it says that nothing was removed, but a redaction replaced what was sealed')
    const seals = this.#seals.map(({ number, createdAt, program, fingerprint }) => ({
      number,
      createdAt,
      program,
      fingerprint,
      vouched: amounts.get(number) ?? { lines: 0, entries: 0 },
    }))
    const problems = Array.from(this.#problems, ([entry, reason]) => ({ entry, reason }))
    const verdict =
      problems.length > 0 ? 'changed' : unsignedCount > 0 ? 'unsigned' : seals.length === 1 ? 'intact' : 'redacted'
    const { kind } = manifest.selection
    const madeOf = kind === 'archive' || kind === 'reduction' ? kind : null
    return { verdict, total, problems, seals, replaced, removed, hasOnlyTokensClaim, madeOf }
  }

  /** The last seal has every entry of the file, in the same order. */
  async #compareNames(entries: readonly SealedEntry[]): Promise<void> {
    if (this.#seals.length === 0) this.addProblem(INTEGRITY_PART, 'the file has no seal that can be read')
    const sealed = new Set(entries.map(({ name }) => name))
    const expected = [...sealed].filter((name) => this.#zip.entries.has(name))
    let index = 0
    for (const name of this.#zip.entries.keys()) {
      if (name.startsWith(`${INTEGRITY_PART}/`)) continue
      if (sealed.has(name)) {
        if (expected[index] !== name) this.addProblem(name, 'it is not where it was sealed')
        index += 1
        continue
      }
      // It is read as well, so that damage is not mistaken for an addition.
      await this.#readEntry(name)
      if (this.#seals.length > 0) this.addProblem(name, 'the last seal does not have it')
    }
  }

  #checkHead({ number, signature, fingerprint, earlier, entries }: Seal, before: readonly Seal[]): void {
    const dir = getSealDir(number)
    if (new Set(entries.map(({ name }) => name)).size < entries.length)
      this.addProblem(`${dir}/statement`, 'it has an entry twice')
    if (signature && fingerprint === null) this.addProblem(`${dir}/signature.json`, 'its signature is not valid')
    const isChained = earlier.length === before.length && before.every(({ digest }, index) => digest === earlier[index])
    if (!isChained) this.addProblem(`${dir}/statement`, 'it belongs to other seals')
  }

  async #checkSeal(seal: Seal, isLast: boolean): Promise<void> {
    const reader = new LeafReader(this.#zip, seal)
    try {
      for (const entry of seal.entries) await this.#checkEntry(seal, entry, await reader.read(entry.count), isLast)
      await reader.finish()
    } catch (error) {
      const { entry, reason } = getDamage(error)
      this.addProblem(entry, reason)
    }
  }

  async #checkEntry(
    { number, fingerprint }: Seal,
    { name, count, hash }: SealedEntry,
    leaves: readonly Leaf[],
    isLast: boolean,
  ): Promise<void> {
    const isPresent = this.#zip.entries.has(name)
    const isSalted = leaves.some((leaf) => 'salt' in leaf)
    if (isLast && leaves.some((leaf) => 'hash' in leaf)) this.addProblem(name, 'its content is in no seal')
    if (!isPresent && isSalted) this.addProblem(name, 'it is missing')
    if (!isPresent) this.#removed.add(name)
    const sources = this.#sources.get(name) ?? {
      firstSeals: leaves.map(() => NO_SEAL),
      signedSeals: leaves.map(() => NO_SEAL),
    }
    const { firstSeals, signedSeals } = sources
    if (firstSeals.length !== count) this.addProblem(name, WRONG_COUNT)
    const leafHashes: Uint8Array[] = []
    try {
      // Contents that a redaction replaced as a whole are read for a later seal.
      const contents = isPresent && isSalted ? hashContents(this.#zip, name, leaves) : leaves.map(() => null)
      let index = 0
      for await (const hashed of contents) {
        this.#countLeaf()
        const leaf = leaves[index]
        if (hashed && firstSeals[index] === NO_SEAL) firstSeals[index] = number
        if (hashed && fingerprint !== null && signedSeals[index] === NO_SEAL) signedSeals[index] = number
        leafHashes.push(hashed ?? (leaf && 'hash' in leaf ? leaf.hash : EMPTY))
        index += 1
      }
    } catch (error) {
      this.addProblem(name, getDamage(error).reason)
    }
    if (isPresent) this.#sources.set(name, sources)
    const sum = this.#zip.platform.createSum()
    addEntry(sum, name, leafHashes)
    if (toHex(await sum.digest()) !== hash) this.addProblem(name, 'its content is not what was sealed')
  }

  async #readEntry(name: string): Promise<void> {
    try {
      for await (const chunk of this.#zip.read(name)) void chunk
    } catch (error) {
      this.addProblem(name, getDamage(error).reason)
    }
  }

  #countLeaf(): void {
    assertNotCancelled(this.#options.signal)
    this.#done += 1
    if (this.#done % 100 === 0) this.#options.onProgress?.(this.#done, this.#total)
  }
}

const EMPTY = new Uint8Array(0)
