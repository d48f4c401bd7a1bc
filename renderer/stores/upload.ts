import { onScopeDispose, shallowRef } from 'vue'
import { UPLOAD_CHUNK_BYTES } from '../../shared/ipc/uploads.ts'
import { AppError, createCancelledError } from '../../shared/errors.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'

interface UploadProgress {
  readonly done: number
  readonly total: number
}

/**
 * Hands one file over to the service process, piece by piece, and tells how far it is: first of the reading, then of the sending. A file that is
 * not sent is let go with the scope.
 */
export function useUpload() {
  const readProgress = shallowRef<UploadProgress | null>(null)
  const sendProgress = shallowRef<UploadProgress | null>(null)
  let uploadId: string | null = null
  let abort: AbortController | null = null

  /** Reads the file; gives its id for a draft. Rejects with `cancelled` after `cancelRead`, and with what the service says. */
  async function stageFile(file: Blob): Promise<string> {
    await discard()
    const mine = new AbortController()
    abort = mine
    readProgress.value = { done: 0, total: file.size }
    const { uploadId: id } = await call('uploads.begin', { size: file.size })
    uploadId = id
    for (let offset = 0; offset < file.size;) {
      const data = await base64Of(file.slice(offset, offset + UPLOAD_CHUNK_BYTES))
      if (mine.signal.aborted) {
        await discard()
        throw createCancelledError()
      }
      const { received } = await call('uploads.add', { uploadId: id, offset, data })
      offset = received
      readProgress.value = { done: received, total: file.size }
    }
    return id
  }

  async function discard(): Promise<void> {
    const id = uploadId
    uploadId = null
    readProgress.value = null
    sendProgress.value = null
    if (id !== null) await call('uploads.drop', { uploadId: id }).catch(() => undefined)
  }

  const stop = subscribe('uploads.progress', ({ uploadId: id, sent: done, total }) => {
    if (id === uploadId) sendProgress.value = { done, total }
  })
  onScopeDispose(() => {
    stop()
    abort?.abort()
    void discard()
  })

  return {
    read: readProgress,
    sent: sendProgress,
    handOver: stageFile,
    drop: discard,
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
