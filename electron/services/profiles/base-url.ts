import { createRefusedError } from '../../../shared/errors.ts'

const SUFFIX = '/bridge/v1'
/** What a profile can hold; percent-encoding and IDN make an address longer than what was typed. */
const MAX_ADDRESS_CHARS = 2048

/**
 * Turns the address that the user typed into a base URL: `127.0.0.1:42340`, `http://host/` and `https://host/bridge/v1/` all become
 * `scheme://host[:port]/bridge/v1`. Throws `ADDRESS_INVALID`, `ADDRESS_SCHEME` or `ADDRESS_PARTS`.
 */
export function normaliseBaseUrl(typed: string): string {
  const text = typed.trim()
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  if (!hasScheme && /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) throw scheme()
  let url: URL
  try {
    url = new URL(hasScheme ? text : `http://${text}`)
  } catch {
    throw createRefusedError(
      'ADDRESS_INVALID',
      'This is not a valid address. An address looks like http://127.0.0.1:42340.',
    )
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw scheme()
  if (url.hostname === '') throw createRefusedError('ADDRESS_INVALID', 'The address names no host.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw createRefusedError(
      'ADDRESS_PARTS',
      'The address may contain only scheme, host, port and path: no user, password, query or fragment.',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  const normalised = `${url.origin}${path.endsWith(SUFFIX) ? path : `${path}${SUFFIX}`}`
  if (normalised.length > MAX_ADDRESS_CHARS) throw createRefusedError('ADDRESS_INVALID', 'The address is too long.')
  return normalised
}

const scheme = (): Error => createRefusedError('ADDRESS_SCHEME', 'Only http:// and https:// addresses can be used.')

/** Scheme, host and port: what a token is bound to. */
export const originOf = (baseUrl: string): string => new URL(baseUrl).origin

export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Plain http to another machine: the token would travel unencrypted. */
export const isUnencryptedRemote = (baseUrl: string): boolean => baseUrl.startsWith('http:') && !isLoopback(baseUrl)
