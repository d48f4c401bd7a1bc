import { refused } from '../../../../shared/errors.ts'

/**
 * Throws `PATH_OUTSIDE` for a path of another program that could lead out of the base URL, however a host decodes it: dots as a segment
 * (also percent-encoded, or next to an encoded slash), a fragment, or no leading slash. Everything else is passed on byte for byte, so that
 * the host sees what the program asked for.
 */
export function assertInside(rawPath: string): void {
  const bare = rawPath.split('?', 1)[0] ?? ''
  const unfolded = bare.replace(/%2f|%5c|\\/gi, '/').replace(/%2e/gi, '.')
  const climbs = unfolded.split('/').some((segment) => segment === '.' || segment === '..')
  // Node writes a path as Latin-1; it arrives that way too.
  if (!bare.startsWith('/') || rawPath.includes('#') || climbs || /[^\x21-\xff]/.test(rawPath)) {
    throw refused('PATH_OUTSIDE', 'The path must begin with / and must not lead outside the bridge’s address.', {
      endpoint: bare.slice(0, 200),
    })
  }
}

/** Whether a host might read a path in another way than it is written: empty segments, encoded slashes, backslashes. */
export function isAmbiguous(rawPath: string): boolean {
  const bare = rawPath.split('?', 1)[0] ?? ''
  return /%2f|%5c|%00|\\|\/\/|.\/$/i.test(bare) || bare.includes(';')
}
