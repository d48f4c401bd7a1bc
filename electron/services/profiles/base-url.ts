import { trimEndChars } from '../../../shared/format/trim-chars.ts'
import { createRefusedError } from '../../../shared/errors.ts'

const SUFFIX = '/bridge/v1'
/** The limit of a profile's schema; percent-encoding and IDN can lengthen the typed text. */
const MAX_ADDRESS_CHARS = 2048

/**
 * Turns a typed address into a base URL: `127.0.0.1:42340`, `http://host/` and
 * `https://host/bridge/v1/` all become `scheme://host[:port]/bridge/v1`.
 * @throws ADDRESS_INVALID, ADDRESS_SCHEME or ADDRESS_PARTS
 */
export function normaliseBaseUrl(address: string): string {
  const text = address.trim()
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  if (!hasScheme && /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) throw createSchemeError()
  let url: URL
  try {
    url = new URL(hasScheme ? text : `http://${text}`)
  } catch {
    throw createRefusedError(
      'ADDRESS_INVALID',
      'This is not a valid address. An address looks like http://127.0.0.1:42340.',
    )
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw createSchemeError()
  if (url.hostname === '') throw createRefusedError('ADDRESS_INVALID', 'The address names no host.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw createRefusedError(
      'ADDRESS_PARTS',
      'The address may contain only scheme, host, port and path: no user, password, query or fragment.',
    )
  }
  const path = trimEndChars(url.pathname, '/')
  const normalised = `${url.origin}${path.endsWith(SUFFIX) ? path : `${path}${SUFFIX}`}`
  if (normalised.length > MAX_ADDRESS_CHARS) throw createRefusedError('ADDRESS_INVALID', 'The address is too long.')
  return normalised
}

const createSchemeError = (): Error =>
  createRefusedError('ADDRESS_SCHEME', 'Only http:// and https:// addresses can be used.')

/** Scheme, host and port, to which a token is bound. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Requests, and the token in them, would leave the machine unencrypted. */
export function isUnencryptedRemote(baseUrl: string): boolean {
  return baseUrl.startsWith('http:') && !isLoopback(baseUrl)
}
