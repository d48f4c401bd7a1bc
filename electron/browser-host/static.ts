import type { IncomingMessage, ServerResponse } from 'node:http'
import { pageFiles, type Appearance } from '../page/files.ts'
import { answer } from './responses.ts'

/** Serves the page's files: from the built folder, or through a development server. */
export type Assets = (request: IncomingMessage, response: ServerResponse, pathname: string) => Promise<void>

/** Serves the files of one folder; see `pageFiles`. */
export function folderAssets(root: string, appearance: () => Appearance): Assets {
  const read = pageFiles(root, appearance)
  return async (_request, response, pathname) => {
    const file = await read(pathname)
    if (file === null) answer(response, 404, 'text/plain; charset=utf-8', 'There is no such page.')
    else answer(response, 200, file.type, file.body)
  }
}
