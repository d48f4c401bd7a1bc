// Prepares documents of a panel: the helper script, its reports, and security headers. The files of
// the script itself are in the program's resources. Read this file first, then reports.ts.
import { toHostApiValue } from '../../../core/panel/host-api.ts'

export const HELPER_SCRIPT_PATH = '/__inspector/host.js'

const HELPER_TAG = Buffer.from(`<script src="${HELPER_SCRIPT_PATH}"></script>`)
export const HELPER_TAG_BYTES = HELPER_TAG.byteLength

/** Maximum bytes of a page that are buffered to find its head. */
export const MAX_HEAD_SEARCH_BYTES = 1024 * 1024

/**
 * Joins the files of the helper script for one load of the page. The variables `hostApiValue` and
 * `pageLoad` are in a block, so that scripts of the page cannot see them.
 */
export function buildHelperScript(files: readonly string[], pageLoad: number): string {
  return `'use strict'\n{\nconst hostApiValue = ${toHostApiValue.toString()}\nconst pageLoad = '${pageLoad}'\n${files.join('\n')}\n}\n`
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/**
 * Inserts the helper script as the first element of the page's head, so that `host` exists before
 * any script of the page runs. The page is not decoded, because tags are ASCII in every encoding
 * that a page can declare in its own markup. Only the beginning is buffered; the rest is streamed.
 */
export function injectHelperTag(page: Bytes): Bytes {
  const reader = page.getReader()
  let isInjected = false

  async function readBeginning(): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array[] = []
    let size = 0
    let searched = 0
    for (;;) {
      const { value, done } = await reader.read()
      if (value) {
        pieces.push(value)
        size += value.byteLength
      }
      const isLast = done || size >= MAX_HEAD_SEARCH_BYTES
      // Searches begin anew, so the next waits for double the size: linear in total.
      if (!isLast && size < searched * 2) continue
      searched = size
      const beginning = Buffer.concat(pieces)
      const headOffset = findHead(beginning.subarray(0, MAX_HEAD_SEARCH_BYTES).toString('latin1'), isLast)
      if (headOffset === null) continue
      return new Uint8Array(
        Buffer.concat([beginning.subarray(0, headOffset), HELPER_TAG, beginning.subarray(headOffset)]),
      )
    }
  }

  return new ReadableStream(
    {
      async pull(controller) {
        if (!isInjected) {
          isInjected = true
          return controller.enqueue(await readBeginning())
        }
        const { value, done } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Returns the offset after `<head>`. If there is no such tag, returns the offset after `<html>`,
 * after the doctype, or 0, because a parser opens the head there automatically.
 * @param isComplete true if no more of the page will be searched.
 * @returns null if the rest of the page could change the result.
 */
function findHead(html: string, isComplete: boolean): number | null {
  let offset = /^\u00ef\u00bb\u00bf/.exec(html)?.[0].length ?? 0
  const tag = /<!--[\s\S]*?(?:-->|$)|<!doctype[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>|<[a-z]/gi
  tag.lastIndex = offset
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const name = /^<(!--|!doctype|html|head)/i.exec(match[0])?.[1]?.toLowerCase()
    if (name === undefined) {
      // An incomplete tag may turn out to be `<head>`, `<html>` or the doctype.
      const hasEnd = html.includes('>', match.index)
      return isComplete || hasEnd ? offset : null
    }
    if (name !== '!--') offset = tag.lastIndex
    if (name === 'head') return offset
  }
  return isComplete ? offset : null
}

/** Returns false for a document that is fetched as data instead of being displayed. */
export function isDocumentRequest(headers: Headers): boolean {
  const dest = headers.get('sec-fetch-dest')
  if (dest !== null) return ['document', 'frame', 'iframe'].includes(dest)
  return (headers.get('accept') ?? '').includes('text/html')
}
