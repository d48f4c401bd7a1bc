import type { Uploads } from '../services/uploads/uploads.ts'
import type { Handlers } from './types.ts'

/** Files that a page hands over to be sent: each method to one call of the service. */
export function uploadHandlers(uploads: Uploads): Pick<Handlers, Extract<keyof Handlers, `uploads.${string}`>> {
  return {
    'uploads.begin': ({ size }, { caller }) => ({ uploadId: uploads.begin(caller, size) }),
    'uploads.add': ({ uploadId, offset, data }, { caller }) => ({
      received: uploads.add(caller, uploadId, offset, Buffer.from(data, 'base64')),
    }),
    'uploads.drop': ({ uploadId }, { caller }) => {
      uploads.drop(caller, uploadId)
      return {}
    },
    'uploads.cancel': ({ uploadId }, { caller }) => {
      uploads.cancel(caller, uploadId)
      return {}
    },
  }
}
