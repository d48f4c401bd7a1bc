/**
 * The page's content security policy, the same in the desktop app and in the browser. Neither inline scripts nor
 * inline styles are allowed: naive-ui and CodeMirror bring theirs as constructed style sheets (renderer/styles/style-target.ts). Images and media
 * may be blobs that the page made, and the host's contents through the desktop app's own scheme. Electron's security checklist, 7:
 * https://www.electronjs.org/docs/latest/tutorial/security#7-define-a-content-security-policy
 */
const directives: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
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

/**
 * The policy as a header value. `connect` is one more source to connect to: the development server's socket. That server also sends styles
 * as inline elements. `frames` is where panels are served, the only thing that a frame may show.
 */
export function createPageCsp(connect?: string, frames?: string): string {
  const framing = frames ? { ...directives, 'frame-src': frames } : directives
  const all = connect
    ? { ...framing, 'connect-src': `'self' ${connect}`, 'style-src': "'self' 'unsafe-inline'" }
    : framing
  return Object.entries(all)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
