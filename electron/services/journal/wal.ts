/**
 * Examines the files of SQLite's write-ahead log before SQLite opens them, because SQLite takes what is valid and silently overwrites the
 * rest. For the layout see https://sqlite.org/fileformat2.html#walformat and https://sqlite.org/walformat.html (the `-shm` file).
 */

/** What a log holds that SQLite will not take. */
interface WalDamage {
  /** Whether everything in the log had already reached the database: then nothing is lost, and the log must no longer be used. */
  readonly isCopied: boolean
}

const HEADER = 32
const FRAME_HEADER = 24
/** The last bit tells the byte order of the checksums. */
const MAGIC = 0x377f_0682
const VERSION = 3_007_000

/**
 * The damage in a log, given its bytes and those of its `-shm` (empty if there is none); null if there is none. A transaction that a
 * crash cut short was never acknowledged and does not count as damage as far as `-shm` can tell; after a power cut it may be mistaken for
 * it.
 */
export function damageIn(wal: Buffer, shm: Buffer): WalDamage | null {
  const index = readIndex(shm)
  const header = readHeader(wal)
  if (!header) {
    if (index) return index.frames > index.copied ? { isCopied: false } : null
    return wal.length > 0 ? { isCopied: false } : null
  }
  const { committed, isMore } = walk(wal, header)
  // Different salts: the index belongs to an earlier or later log and says nothing about this one.
  if (!index?.salts.equals(header.salts)) return isMore ? { isCopied: false } : null
  return committed < index.frames ? { isCopied: index.copied >= index.frames } : null
}

interface Header {
  readonly bigEndian: boolean
  readonly pageSize: number
  /** Both salts as stored; every frame of this log repeats them. */
  readonly salts: Buffer
  readonly sums: Sums
}

type Sums = readonly [number, number]

function readHeader(wal: Buffer): Header | null {
  if (wal.length < HEADER) return null
  const magic = wal.readUInt32BE(0)
  const pageSize = wal.readUInt32BE(8)
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0
  if ((magic | 1) >>> 0 !== (MAGIC | 1) || wal.readUInt32BE(4) !== VERSION || !isPageSize) return null
  const bigEndian = (magic & 1) === 1
  const sums = sumUp(wal.subarray(0, 24), [0, 0], bigEndian)
  return matches(wal, 24, sums) ? { bigEndian, pageSize, salts: wal.subarray(16, 24), sums } : null
}

/** Counts the frames up to the last one that ends a transaction, as SQLite does, and tells whether more of this log follows. */
function walk(wal: Buffer, { bigEndian, pageSize, salts, sums }: Header): { committed: number; isMore: boolean } {
  const size = FRAME_HEADER + pageSize
  let committed = 0
  let valid = 0
  let chain = sums
  for (let at = HEADER; at + size <= wal.length; at += size) {
    if (!wal.subarray(at + 8, at + 16).equals(salts) || wal.readUInt32BE(at) === 0) break
    const page = wal.subarray(at + FRAME_HEADER, at + size)
    chain = sumUp(page, sumUp(wal.subarray(at, at + 8), chain, bigEndian), bigEndian)
    if (!matches(wal, at + 16, chain)) break
    valid += 1
    if (wal.readUInt32BE(at + 4) !== 0) committed = valid
  }
  let isMore = false
  for (let at = HEADER + committed * size; at < wal.length && !isMore; at += size) isMore = isOurs(wal, at, salts)
  return { committed, isMore }
}

/** Frames of an earlier log that this one has not overwritten yet repeat neither salt; damage rarely changes both. */
function isOurs(wal: Buffer, at: number, salts: Buffer): boolean {
  const [first, second] = [wal.subarray(at + 8, at + 12), wal.subarray(at + 12, at + 16)]
  return second.length < 4 || first.equals(salts.subarray(0, 4)) || second.equals(salts.subarray(4))
}

/** SQLite's checksum over pairs of words, continued from `before`. */
function sumUp(bytes: Buffer, before: Sums, bigEndian: boolean): Sums {
  let [one, two] = before
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const first = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
    const second = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)
    one = (one + first + two) >>> 0
    two = (two + second + one) >>> 0
  }
  return [one, two]
}

const matches = (bytes: Buffer, at: number, [one, two]: Sums): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two

interface Index {
  /** Frames that are committed, and frames that had already reached the database. */
  readonly frames: number
  readonly copied: number
  readonly salts: Buffer
}

const INDEX_HEADER = 48

/** What `-shm` says. It outlives a killed process and records what SQLite had acknowledged. Null if it is incomplete. */
function readIndex(shm: Buffer): Index | null {
  const header = shm.subarray(0, INDEX_HEADER)
  if (shm.length < 2 * INDEX_HEADER + 4 || !header.equals(shm.subarray(INDEX_HEADER, 2 * INDEX_HEADER))) return null
  // In the machine's byte order, the one in which the version number makes sense; so are the checksums.
  const bigEndian = shm.readUInt32BE(0) === VERSION
  const word = (at: number): number => (bigEndian ? shm.readUInt32BE(at) : shm.readUInt32LE(at))
  const [one, two] = sumUp(header.subarray(0, 40), [0, 0], bigEndian)
  if (word(0) !== VERSION || word(40) !== one || word(44) !== two) return null
  return { frames: word(16), copied: word(2 * INDEX_HEADER), salts: header.subarray(32, 40) }
}
