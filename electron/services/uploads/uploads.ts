// Stores files that pages upload until they are sent or dropped. Sending them is in
// services/operations/send. This file is the whole service.
import { createHash, randomUUID, type Hash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_UPLOAD_BYTES } from '../../../shared/ipc/uploads.ts'
import type { Bus } from '../bus.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

export interface UploadFile {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export interface UploadTransfer {
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
  /** Call when the transfer is over. The file is deleted. */
  readonly end: () => void
}

/** The shortest interval between two progress messages of a file. */
const PROGRESS_INTERVAL_MS = 100
/** Maximum number of waiting files, counted over all pages; a recording may have 20 pictures. */
const MAX_UPLOADS = 32

interface Upload {
  readonly caller: string
  readonly path: string
  readonly size: number
  readonly fd: number
  readonly hash: Hash
  received: number
  file: UploadFile | null
  transfer: AbortController | null
}

/**
 * Files that pages upload piece by piece, stored in a directory of this run until they are sent or
 * dropped. The stored copy ensures that the reviewed bytes are sent, even if the chosen file
 * changes.
 */
export class Uploads {
  readonly #uploads = new Map<string, Upload>()
  readonly #bus: Pick<Bus, 'publish'>
  #dir: string | null = null

  constructor(bus: Pick<Bus, 'publish'>) {
    this.#bus = bus
  }

  /** @throws UPLOADS_TOO_MANY when too many files wait, UPLOAD_TOO_LARGE */
  begin(caller: string, size: number): string {
    if (this.#uploads.size >= MAX_UPLOADS)
      throw createRefusedError('UPLOADS_TOO_MANY', 'Too many files are waiting to be sent.')
    if (size > MAX_UPLOAD_BYTES)
      throw createRefusedError('UPLOAD_TOO_LARGE', 'The file is larger than what can be sent from here.')
    this.#dir ??= mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-upload-'))
    const id = randomUUID()
    const filePath = path.join(this.#dir, id)
    const fd = openSync(filePath, 'wx', 0o600)
    this.#uploads.set(id, {
      caller,
      path: filePath,
      size,
      fd,
      hash: createHash('sha256'),
      received: 0,
      file: null,
      transfer: null,
    })
    return id
  }

  /**
   * @returns the number of bytes received so far.
   * @throws UPLOAD_UNKNOWN when there is no such upload
   * @throws UPLOAD_OUT_OF_STEP when the piece does not follow the previous piece
   * @throws the errors of the file system when the piece cannot be written
   */
  add(caller: string, id: string, offset: number, piece: Uint8Array): number {
    const upload = this.#getUpload(id, caller)
    if (upload.file || offset !== upload.received || offset + piece.byteLength > upload.size) {
      throw createRefusedError('UPLOAD_OUT_OF_STEP', 'The file changed while it was read. Choose it again.')
    }
    for (let writtenBytes = 0; writtenBytes < piece.byteLength;)
      writtenBytes += writeSync(upload.fd, piece, writtenBytes)
    upload.hash.update(piece)
    upload.received += piece.byteLength
    return upload.received
  }

  /** @throws UPLOAD_UNKNOWN, UPLOAD_INCOMPLETE when pieces are missing */
  getFile(id: string): UploadFile {
    const upload = this.#getUpload(id, null)
    if (upload.received !== upload.size)
      throw createRefusedError('UPLOAD_INCOMPLETE', 'Not all of the file has been read yet.')
    return (upload.file ??= { id, path: upload.path, size: upload.size, sha256: upload.hash.digest('hex') })
  }

  /** Call it when the file is about to be sent. @throws UPLOAD_UNKNOWN */
  beginTransfer(id: string): UploadTransfer {
    const upload = this.#getUpload(id, null)
    const abort = new NodeAbortController()
    upload.transfer = abort
    let publishedAt = -Infinity
    return {
      signal: abort.signal,
      onProgress: (sentBytes) => {
        if (sentBytes < upload.size && performance.now() - publishedAt < PROGRESS_INTERVAL_MS) return
        publishedAt = performance.now()
        this.#bus.publish('uploads.progress', { uploadId: id, sent: sentBytes, total: upload.size })
      },
      end: () => this.#remove(id),
    }
  }

  cancel(caller: string, id: string): void {
    const upload = this.#uploads.get(id)
    if (upload?.caller === caller) upload.transfer?.abort()
  }

  drop(caller: string, id: string): void {
    const upload = this.#uploads.get(id)
    if (upload?.caller === caller && !upload.transfer) this.#remove(id)
  }

  /** A page has gone and will send none of its files. Transfers in progress continue. */
  dropAll(caller: string): void {
    for (const id of [...this.#uploads.keys()]) this.drop(caller, id)
  }

  close(): void {
    for (const id of [...this.#uploads.keys()]) this.#remove(id)
    if (this.#dir !== null) rmSync(this.#dir, { recursive: true, force: true })
    this.#dir = null
  }

  #getUpload(id: string, caller: string | null): Upload {
    const upload = this.#uploads.get(id)
    if (!upload || (caller !== null && upload.caller !== caller)) {
      throw createRefusedError('UPLOAD_UNKNOWN', 'The file is no longer here. Choose it again.')
    }
    return upload
  }

  #remove(id: string): void {
    const upload = this.#uploads.get(id)
    if (!upload) return
    this.#uploads.delete(id)
    closeSync(upload.fd)
    rmSync(upload.path, { force: true })
  }
}
