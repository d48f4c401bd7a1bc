import { toHostApiValue } from '../../../../shared/panel/host-api.ts'

/** Where the helper script is, on the panel's own origin. */
export const HELPER_PATH = '/__inspector/host.js'

const helper = Buffer.from(`<script src="${HELPER_PATH}"></script>`)
export const HELPER_BYTES = helper.byteLength

/** Bytes of a page that are searched for its head, and held until the head is found. */
export const MAX_SEARCHED_BYTES = 1024 * 1024

/**
 * The helper script of these files, for this load of the page. `hostApiValue` and `pageLoad` are
 * theirs; the page has no variables of those names.
 */
export const buildHelperScript = (files: readonly string[], load: number): string =>
  `'use strict'\n{\nconst hostApiValue = ${toHostApiValue.toString()}\nconst pageLoad = '${load}'\n${files.join('\n')}\n}\n`

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/**
 * The page with the helper script as the first element of its head, so that `host` exists before
 * any script of the page runs. Bytes are kept as they are: nothing is decoded, because the head's
 * tags are ASCII in every encoding that a page may declare in itself. Only the beginning is held,
 * whatever length the page declares; the rest passes at the pace of its reader.
 */
export function injectHelper(page: Bytes): Bytes {
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
      const isLast = done || size >= MAX_SEARCHED_BYTES
      // The search begins anew each time, so the text has to grow to twice its size in between.
      if (!isLast && size < searched * 2) continue
      searched = size
      const beginning = Buffer.concat(pieces)
      const offset = findHead(beginning.subarray(0, MAX_SEARCHED_BYTES).toString('latin1'), isLast)
      if (offset === null) continue
      return new Uint8Array(Buffer.concat([beginning.subarray(0, offset), helper, beginning.subarray(offset)]))
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
 * The offset after `<head>`; without one after `<html>`, after the doctype, or at the beginning: a
 * parser opens the head there itself. Null where the rest of the page may still decide, unless this
 * is all of it that is searched.
 */
function findHead(html: string, isWhole: boolean): number | null {
  let offset = /^\u00ef\u00bb\u00bf/.exec(html)?.[0].length ?? 0
  const tag = /<!--[\s\S]*?(?:-->|$)|<!doctype[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>|<[a-z]/gi
  tag.lastIndex = offset
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const name = /^<(!--|!doctype|html|head)/i.exec(match[0])?.[1]?.toLowerCase()
    if (name === undefined) {
      // What looks like another tag may be the beginning of one of these.
      const isEnded = html.includes('>', match.index)
      return isWhole || isEnded ? offset : null
    }
    if (name !== '!--') offset = tag.lastIndex
    if (name === 'head') return offset
  }
  return isWhole ? offset : null
}

/** Whether a request is for a page to be shown, rather than for data. */
export function isDocumentRequest(headers: Headers): boolean {
  const dest = headers.get('sec-fetch-dest')
  if (dest !== null) return ['document', 'frame', 'iframe'].includes(dest)
  return (headers.get('accept') ?? '').includes('text/html')
}
