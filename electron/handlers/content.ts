import { createRefusedError } from '../../shared/errors.ts'
import type { ContentService } from '../services/media/content-service.ts'
import type { ChooseFile, Handlers } from './app-ports.ts'
import type { Uploads } from '../services/uploads/uploads.ts'

/** Creates the handlers; `chooseFile` is null if the page saves files itself (in a browser). */
export function createContentHandlers(
  contents: ContentService,
  chooseFile: ChooseFile | null,
): Pick<Handlers, Extract<keyof Handlers, `content.${string}`>> {
  return {
    'content.open': (input, { caller, signal }) => contents.open(input, caller, signal),
    'content.release': ({ handle }, { caller }) => {
      contents.release(handle, caller)
      return {}
    },
    'content.slice': ({ handle, start, end }, { caller, signal }) =>
      contents.readSlice(handle, start, end, caller, signal),
    'content.save': async ({ handle }, { caller, signal }) => {
      if (!chooseFile) throw createRefusedError('SAVE_IN_PAGE', 'Only the desktop app has its own save dialog.')
      return { saved: await contents.saveToFile(handle, caller, chooseFile, signal) }
    },
  }
}

export function createUploadHandlers(uploads: Uploads): Pick<Handlers, Extract<keyof Handlers, `uploads.${string}`>> {
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
