import { trimChars, trimEndChars } from '../../../shared/format/trim-chars.ts'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { ContentRef } from '../../../shared/ipc/content.ts'

/** Extensions of files that the system would run, or that a browser would open as a page. */
const RUNNABLE_EXTENSIONS =
  /^(?:app|bat|cmd|com|command|cpl|deb|desktop|dll|dmg|elf|exe|gadget|hta|htm|html|inf|jar|js|jse|lnk|mjs|msc|msi|msp|pif|pkg|ps1|reg|rpm|scf|scr|sh|url|vb|vbe|vbs|ws|wsf|wsh|xhtml|xht)$/i

/** Types recognised by their magic numbers: the bytes must confirm them. */
const VERIFIABLE_EXTENSIONS =
  /^(?:aac|avi|avif|bmp|flac|gif|gz|heic|ico|jpe?g|m4a|m4v|mkv|mov|mp[34]|og[agv]|opus|pdf|png|svg|tiff?|wav|web[mp]|zip|7z)$/i

/** Names of devices on Windows, with or without an extension. */
const WINDOWS_DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Maximum bytes of a name without its extension; file systems allow 255 with it. */
const MAX_NAME_BYTES = 200

/**
 * Builds a name under which content is saved: one path segment, safe on every file system, with the
 * extension for the type of the bytes. The host's own extension stays unless the type contradicts
 * it or the system would run the file.
 */
export function buildFileName(ref: ContentRef, extension: string, conceal = (text: string): string => text): string {
  const [hostStem, hostExtension] = splitExtension(removeUnsafeCharacters(conceal(buildHostName(ref))))
  const safeExtension = RUNNABLE_EXTENSIONS.test(extension) ? 'bin' : extension
  const keepsHostExtension =
    hostExtension.toLowerCase() === safeExtension ||
    (hostExtension !== '' &&
      isVague(safeExtension) &&
      !RUNNABLE_EXTENSIONS.test(hostExtension) &&
      !VERIFIABLE_EXTENSIONS.test(hostExtension))
  const stem = keepsHostExtension ? hostStem : hostExtension === '' ? hostStem : `${hostStem}.${hostExtension}`
  const chosenExtension = keepsHostExtension ? hostExtension : safeExtension
  return `${shortenStem(stem, 'content')}.${chosenExtension}`
}

/** Turns a text of the user into a file name without extension, safe on every file system. */
export function toFileStem(name: string, fallback: string): string {
  return shortenStem(removeUnsafeCharacters(name), fallback)
}

function shortenStem(stem: string, fallback: string): string {
  const shortStem = trimEndChars(truncateToBytes(stem), '. ') || fallback
  return WINDOWS_DEVICE_NAMES.test(shortStem) ? `_${shortStem}` : shortStem
}

/** Truncates between characters, never inside a character. */
function truncateToBytes(name: string): string {
  let result = ''
  let bytes = 0
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_NAME_BYTES) break
    result += character
  }
  return result
}

/** The extension says no more than that the content is text or bytes. */
const isVague = (extension: string): boolean => ['txt', 'bin', 'json', 'xml'].includes(extension)

/** Joins the request's values that the endpoint lists as parts of the file name. */
function buildHostName({ endpoint: id, params, query }: ContentRef): string {
  const { parameters, response } = getEndpoint(id)
  const valueOf = (name: string): string => {
    const { in: location, relativePath } = parameters.find((parameter) => parameter.name === name) ?? {}
    const value = String((location === 'query' ? query[name] : params[name]) ?? '')
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

/** Removes direction marks; replaces separators, control characters, what Windows forbids. */
function removeUnsafeCharacters(name: string): string {
  const safeName = name
    .normalize('NFC')
    .replace(/[\0-\x1f\x7f-\x9f<>:"/\\|?*]/g, '_')
    .replace(/[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g, '')
  return trimChars(safeName, '. ')
}

function splitExtension(name: string): [string, string] {
  const [, stem, extension] = /^(.+)\.([A-Za-z0-9]{1,8})$/.exec(name) ?? []
  return stem === undefined || extension === undefined ? [name, ''] : [stem, extension]
}
