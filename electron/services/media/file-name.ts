import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { ContentRef } from '../../../shared/ipc/content.ts'

/** Extensions of files that the system would run, or that a browser would open as a page. */
const runnable =
  /^(?:app|bat|cmd|com|command|cpl|deb|desktop|dll|dmg|elf|exe|gadget|hta|htm|html|inf|jar|js|jse|lnk|mjs|msc|msi|msp|pif|pkg|ps1|reg|rpm|scf|scr|sh|url|vb|vbe|vbs|ws|wsf|wsh|xhtml|xht)$/i

/** Extensions that claim what only magic numbers can show. */
const telling =
  /^(?:aac|avi|avif|bmp|flac|gif|gz|heic|ico|jpe?g|m4a|m4v|mkv|mov|mp[34]|og[agv]|opus|pdf|png|svg|tiff?|wav|web[mp]|zip|7z)$/i

/** Names of devices on Windows, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Maximum bytes of the name; file systems allow 255 with the extension. */
const MAX_NAME_BYTES = 200

/**
 * A name for saving a content: one segment, safe on every file system, with the extension of what
 * the bytes are. The host's own extension stays unless the type contradicts it or the file would
 * run.
 */
export function buildFileName(ref: ContentRef, extension: string, conceal = (text: string): string => text): string {
  const [stem, own] = splitEnding(clean(conceal(nameOf(ref))))
  const proper = runnable.test(extension) ? 'bin' : extension
  const keep =
    own.toLowerCase() === proper || (own !== '' && isVague(proper) && !runnable.test(own) && !telling.test(own))
  const name = keep ? stem : own === '' ? stem : `${stem}.${own}`
  const ending = keep ? own : proper
  const short = shortened(name).replace(/[. ]+$/, '') || 'content'
  const safe = devices.test(short) ? `_${short}` : short
  return `${safe}.${ending}`
}

/** Cut between characters. */
function shortened(name: string): string {
  let kept = ''
  let bytes = 0
  for (const one of name) {
    bytes += Buffer.byteLength(one)
    if (bytes > MAX_NAME_BYTES) break
    kept += one
  }
  return kept
}

/** Extensions that say no more than "text" or "bytes". */
const isVague = (extension: string): boolean => ['txt', 'bin', 'json', 'xml'].includes(extension)

/** The name by the row's parts. */
function nameOf({ endpoint: id, params, query }: ContentRef): string {
  const { parameters, response } = getEndpoint(id)
  const valueOf = (name: string): string => {
    const { in: where, relativePath } = parameters.find((one) => one.name === name) ?? {}
    const value = String((where === 'query' ? query[name] : params[name]) ?? '')
    return relativePath ? (value.split(/[/\\]/).pop() ?? '') : value
  }
  const parts = response.kind === 'binary' ? response.fileNameParts : []
  return parts
    .flatMap((part) => {
      if (typeof part === 'string') return [valueOf(part)]
      const value = valueOf(part.parameter)
      return value === part.requiredValue ? [value] : []
    })
    .join('-')
}

/**
 * Without separators, control characters, marks that change the reading direction, and whatever
 * Windows forbids.
 */
function clean(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\0-\x1f\x7f-\x9f<>:"/\\|?*]/g, '_')
    .replace(/[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g, '')
    .replace(/^[. ]+/, '')
    .replace(/[. ]+$/, '')
}

function splitEnding(name: string): [string, string] {
  const [, stem, ending] = /^(.+)\.([A-Za-z0-9]{1,8})$/.exec(name) ?? []
  return stem === undefined || ending === undefined ? [name, ''] : [stem, ending]
}
