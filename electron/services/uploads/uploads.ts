import { createHash, randomUUID, type Hash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_UPLOAD_BYTES } from '../../../shared/ipc/uploads.ts'
import type { Bus } from '../bus.ts'

/** A file whose bytes are all here. */
export interface UploadFile {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** The sending of one file: what ends it, and what is told how far it is. */
export interface Transfer {
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
  /** It is over, however it ended: the file is let go. */
  readonly end: () => void
}

/** Between two messages of how far a file is. */
const PROGRESS_INTERVAL_MS = 100
/** Files that pages may have here at once. */
const MAX_UPLOADS = 8

interface Kept {
  readonly caller: string
  readonly path: string
  readonly size: number
  readonly fd: number
  readonly hash: Hash
  received: number
  done: UploadFile | null
  sending: AbortController | null
}

/**
 * Files that pages hand over piece by piece, kept in a directory of this run until they are sent or dropped: what is sent is what was reviewed,
 * whatever becomes of the file that was chosen.
 */
export class Uploads {
  readonly #kept = new Map<string, Kept>()
  readonly #bus: Pick<Bus, 'publish'>
  #dir: string | null = null

  constructor(bus: Pick<Bus, 'publish'>) {
    this.#bus = bus
  }

  /** Throws `UPLOADS_TOO_MANY` and `UPLOAD_TOO_LARGE`. */
  begin(caller: string, size: number): string {
    if (this.#kept.size >= MAX_UPLOADS)
      throw createRefusedError('UPLOADS_TOO_MANY', 'Too many files are waiting to be sent.')
    if (size > MAX_UPLOAD_BYTES)
      throw createRefusedError('UPLOAD_TOO_LARGE', 'The file is larger than what can be sent from here.')
    this.#dir ??= mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-upload-'))
    const id = randomUUID()
    const filePath = path.join(this.#dir, id)
    const fd = openSync(filePath, 'wx', 0o600)
    this.#kept.set(id, {
      caller,
      path: filePath,
      size,
      fd,
      hash: createHash('sha256'),
      received: 0,
      done: null,
      sending: null,
    })
    return id
  }

  /** Takes the next piece; gives how many bytes are here. Throws `UPLOAD_UNKNOWN` and `UPLOAD_OUT_OF_STEP`, and what the disk throws. */
  add(caller: string, id: string, offset: number, piece: Uint8Array): number {
    const kept = this.#of(id, caller)
    if (kept.done || offset !== kept.received || offset + piece.byteLength > kept.size) {
      throw createRefusedError('UPLOAD_OUT_OF_STEP', 'The file changed while it was read. Choose it again.')
    }
    for (let at = 0; at < piece.byteLength;) at += writeSync(kept.fd, piece, at)
    kept.hash.update(piece)
    kept.received += piece.byteLength
    return kept.received
  }

  /** The whole file. Throws `UPLOAD_UNKNOWN` and `UPLOAD_INCOMPLETE`. */
  getFile(id: string): UploadFile {
    const kept = this.#of(id, null)
    if (kept.received !== kept.size)
      throw createRefusedError('UPLOAD_INCOMPLETE', 'Not all of the file has been read yet.')
    return (kept.done ??= { id, path: kept.path, size: kept.size, sha256: kept.hash.digest('hex') })
  }

  /** It is being sent now. Throws `UPLOAD_UNKNOWN`. */
  beginTransfer(id: string): Transfer {
    const kept = this.#of(id, null)
    const abort = new AbortController()
    kept.sending = abort
    let told = -Infinity
    return {
      signal: abort.signal,
      onProgress: (sent) => {
        if (sent < kept.size && performance.now() - told < PROGRESS_INTERVAL_MS) return
        told = performance.now()
        this.#bus.publish('uploads.progress', { uploadId: id, sent, total: kept.size })
      },
      end: () => this.#remove(id),
    }
  }

  /** Ends the sending of a file. */
  cancel(caller: string, id: string): void {
    const kept = this.#kept.get(id)
    if (kept?.caller === caller) kept.sending?.abort()
  }

  drop(caller: string, id: string): void {
    const kept = this.#kept.get(id)
    if (kept?.caller === caller && !kept.sending) this.#remove(id)
  }

  /** A page has gone, and nobody will send its files; what is on its way is on its way. */
  dropAll(caller: string): void {
    for (const id of [...this.#kept.keys()]) this.drop(caller, id)
  }

  close(): void {
    for (const id of [...this.#kept.keys()]) this.#remove(id)
    if (this.#dir !== null) rmSync(this.#dir, { recursive: true, force: true })
    this.#dir = null
  }

  #of(id: string, caller: string | null): Kept {
    const kept = this.#kept.get(id)
    if (!kept || (caller !== null && kept.caller !== caller)) {
      throw createRefusedError('UPLOAD_UNKNOWN', 'The file is no longer here. Choose it again.')
    }
    return kept
  }

  #remove(id: string): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    this.#kept.delete(id)
    closeSync(kept.fd)
    rmSync(kept.path, { force: true })
  }
}
