/**
 * The page's policy, the same as the browser host's. Styles allow inline because the widget library mounts its style elements
 * at run time; scripts never do. Images and media may be blobs that the page made itself, and contents of the
 * host by their own scheme.
 */
const directives: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob: bridge-content:",
  'media-src': "'self' blob: bridge-content:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** The policy as a header's value. `connect` adds a source for the development server's socket. */
export function pageCsp(connect?: string): string {
  const all = connect ? { ...directives, 'connect-src': `'self' ${connect}` } : directives
  return Object.entries(all)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

/** Headers of every answer of the app's scheme. */
export function pageHeaders(type: string, connect?: string): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': pageCsp(connect),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}
