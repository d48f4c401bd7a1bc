import { createInvalidError } from './recording-error.ts'
import { readLines } from './line-reader.ts'
import {
  checkSignature,
  getLeavesName,
  getSealDir,
  leafRecordSchema,
  parseRoots,
  signatureSchema,
  type LeafRecord,
  type RecordingSignature,
  type Roots,
} from './seal.ts'
import type { ZipReader } from './zip-reader.ts'

const MAX_ROOTS_BYTES = 268_435_456
const MAX_SIGNATURE_BYTES = 65_536
const ROOTS_ENTRY = /^integrity\/(\d{4,8})\/[a-z]/

export interface Seal {
  readonly roots: Roots
  /** The bytes that are signed. */
  readonly bytes: Uint8Array
  /** Null if the seal is not signed. */
  readonly signature: RecordingSignature | null
}

/** Numbers of all seals of which anything is in the file, from 1. */
export const listSeals = (zip: ZipReader): number[] => {
  const numbers = [...zip.entries.keys()].flatMap((name) => Number(ROOTS_ENTRY.exec(name)?.[1] ?? []))
  return [...new Set(numbers)].filter((number) => number > 0).sort((first, second) => first - second)
}

/** The entries of which a seal itself consists. */
export function listSealEntries(zip: ZipReader, number: number): string[] {
  const entries = [`${getSealDir(number)}/roots`, `${getSealDir(number)}/signature.json`]
  for (let index = 0; zip.entries.has(getLeavesName(number, index)); index += 1)
    entries.push(getLeavesName(number, index))
  return entries
}

/** @throws RECORDING_ENTRY_MISSING, RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED */
export async function readSeal(zip: ZipReader, number: number): Promise<Seal> {
  const entry = `${getSealDir(number)}/roots`
  const bytes = await zip.readWhole(entry, MAX_ROOTS_BYTES)
  const roots = parseRoots(bytes.toString())
  if (!roots) throw createInvalidError(entry, 'it is no seal that this version knows')
  return { roots, bytes, signature: await readSignature(zip, `${getSealDir(number)}/signature.json`) }
}

async function readSignature(zip: ZipReader, entry: string): Promise<RecordingSignature | null> {
  if (!zip.entries.has(entry)) return null
  const signature = parseWith(signatureSchema, await zip.readWhole(entry, MAX_SIGNATURE_BYTES))
  if (!signature) throw createInvalidError(entry, 'it is no signature that this version knows')
  return signature
}

/** @throws RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED */
export async function* readLeafRecords(zip: ZipReader, number: number): AsyncGenerator<LeafRecord> {
  for (let index = 0; ; index += 1) {
    const entry = getLeavesName(number, index)
    if (!zip.entries.has(entry)) return
    let line = 0
    for await (const bytes of readLines(zip.read(entry), entry)) {
      line += 1
      const record = parseWith(leafRecordSchema, bytes)
      if (!record) throw createInvalidError(entry, 'it is no record of hashes', line)
      yield record
    }
  }
}

function parseWith<T>(
  schema: { safeParse(value: unknown): { readonly data?: T | undefined } },
  bytes: Buffer,
): T | null {
  try {
    return schema.safeParse(JSON.parse(bytes.toString())).data ?? null
  } catch {
    return null
  }
}

interface ReadSignature extends RecordingSignature {
  /** Whether this key signed the seal. Whether the seal fits the file is another question. */
  readonly isValid: boolean
}

/** The signatures of all seals, the first one first. */
export async function readSignatures(zip: ZipReader): Promise<ReadSignature[]> {
  const signatures: ReadSignature[] = []
  for (const number of listSeals(zip)) {
    const { bytes, signature } = await readSeal(zip, number)
    if (signature)
      signatures.push({ ...signature, isValid: checkSignature(bytes, signature) === signature.fingerprint })
  }
  return signatures
}
