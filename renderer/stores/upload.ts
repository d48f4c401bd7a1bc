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
 * Transfers a file to the service process chunk by chunk, and reports the progress of reading and
 * sending. A file that was not sent is deleted at the end of the scope.
 */
export function useUpload() {
  const readProgress = shallowRef<UploadProgress | null>(null)
  const sendProgress = shallowRef<UploadProgress | null>(null)
  let uploadId: string | null = null
  let reading: AbortController | null = null

  /** Returns its id. @throws `cancelled` after `cancelRead`, and what the service throws */
  async function stageFile(file: Blob): Promise<string> {
    await discard()
    const controller = new AbortController()
    reading = controller
    readProgress.value = { done: 0, total: file.size }
    const { uploadId: id } = await call('uploads.begin', { size: file.size })
    uploadId = id
    for (let offset = 0; offset < file.size;) {
      const data = await encodeBase64(file.slice(offset, offset + UPLOAD_CHUNK_BYTES))
      if (controller.signal.aborted) {
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
    reading?.abort()
    void discard()
  })

  return {
    readProgress,
    sendProgress,
    stageFile,
    discard,
    cancelRead: () => reading?.abort(),
    /** Stops sending. It is then unknown what the host did with the part that it received. */
    cancelSend: async (): Promise<void> => {
      if (uploadId !== null) await call('uploads.cancel', { uploadId })
    },
  }
}

/** Encodes a piece with the browser's own encoder, which does not block the page. */
function encodeBase64(piece: Blob): Promise<string> {
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
