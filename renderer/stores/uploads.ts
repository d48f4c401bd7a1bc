import { onScopeDispose, shallowRef } from 'vue'
import { UPLOAD_PIECE } from '../../shared/ipc/uploads.ts'
import { AppError, cancelled } from '../../shared/errors.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscribe.ts'

interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * Hands one file over to the service process, piece by piece, and tells how far it is: first of the reading, then of the sending. A file that is
 * not sent is let go with the scope.
 */
export function useUpload() {
  const read = shallowRef<Progress | null>(null)
  const sent = shallowRef<Progress | null>(null)
  let uploadId: string | null = null
  let abort: AbortController | null = null

  /** Reads the file; gives its id for a draft. Rejects with `cancelled` after `cancelRead`, and with what the service says. */
  async function handOver(file: Blob): Promise<string> {
    await drop()
    const mine = new AbortController()
    abort = mine
    read.value = { done: 0, total: file.size }
    const { uploadId: id } = await call('uploads.begin', { size: file.size })
    uploadId = id
    for (let offset = 0; offset < file.size;) {
      const data = await base64Of(file.slice(offset, offset + UPLOAD_PIECE))
      if (mine.signal.aborted) {
        await drop()
        throw cancelled()
      }
      const { received } = await call('uploads.add', { uploadId: id, offset, data })
      offset = received
      read.value = { done: received, total: file.size }
    }
    return id
  }

  async function drop(): Promise<void> {
    const id = uploadId
    uploadId = null
    read.value = null
    sent.value = null
    if (id !== null) await call('uploads.drop', { uploadId: id }).catch(() => undefined)
  }

  const stop = subscribe('uploads.progress', ({ uploadId: id, sent: done, total }) => {
    if (id === uploadId) sent.value = { done, total }
  })
  onScopeDispose(() => {
    stop()
    abort?.abort()
    void drop()
  })

  return {
    read,
    sent,
    handOver,
    drop,
    cancelRead: () => abort?.abort(),
    /** Ends the sending; what the host made of its part is not known then. */
    cancelSend: async (): Promise<void> => {
      if (uploadId !== null) await call('uploads.cancel', { uploadId })
    },
  }
}

/** By the browser's own encoder: it takes no time of the page. */
function base64Of(piece: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const text = typeof reader.result === 'string' ? reader.result : ''
      resolve(text.slice(text.indexOf(',') + 1))
    }
    reader.onerror = () =>
      reject(
        new AppError({
          kind: 'refused',
          code: 'FILE_UNREADABLE',
          message: 'The file cannot be read. It may have been moved or changed.',
          retryable: false,
        }),
      )
    reader.readAsDataURL(piece)
  })
}
