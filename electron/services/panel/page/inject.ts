/** Where the helper script is, on the panel's own origin. */
export const HELPER_PATH = '/__inspector/host.js'

const helper = `<script src="${HELPER_PATH}"></script>`

/** More of a page than this is not searched. */
const SEARCHED = 1024 * 1024

/**
 * The page with the helper script as the first element of its head, so that `host` exists before any script of the page runs. Bytes are
 * kept as they are: nothing is decoded, because the head's tags are ASCII in every encoding that a page may declare in itself.
 */
export function withHelper(page: Buffer): Buffer {
  const at = placeIn(page.subarray(0, SEARCHED).toString('latin1'))
  return Buffer.concat([page.subarray(0, at), Buffer.from(helper), page.subarray(at)])
}

/** After `<head>`; without one after `<html>`, after the doctype, or at the beginning: a parser opens the head there itself. */
function placeIn(html: string): number {
  const before = /^\u00ef\u00bb\u00bf/.exec(html)?.[0].length ?? 0
  let after = before
  const tag = /<!--[\s\S]*?(?:-->|$)|<!doctype[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>|<[a-z]/gi
  tag.lastIndex = before
  for (let found = tag.exec(html); found; found = tag.exec(html)) {
    const name = /^<(!--|!doctype|html|head)/i.exec(found[0])?.[1]?.toLowerCase()
    if (name === undefined) return after
    if (name !== '!--') after = tag.lastIndex
    if (name === 'head') return after
  }
  return after
}
