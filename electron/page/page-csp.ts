/**
 * The page's content security policy is the same in the desktop app and in the browser. Neither
 * inline scripts nor inline styles are allowed: naive-ui and CodeMirror bring theirs as constructed
 * style sheets (renderer/components/widgets/style-target.ts). Images and media may be blobs that
 * the page made, and the host's contents through the desktop app's own scheme.
 * @see https://www.electronjs.org/docs/latest/tutorial/security#7-define-a-content-security-policy
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
 * Builds the policy as a header value.
 *
 * @param connect the development server's socket as a further source to connect to. That server
 *   also needs inline styles.
 * @param frames where panels are served, the only source of frames.
 */
export function createPageCsp(connect?: string, frames?: string): string {
  const withFrames = frames ? { ...directives, 'frame-src': frames } : directives
  const withDevServer = connect
    ? { ...withFrames, 'connect-src': `'self' ${connect}`, 'style-src': "'self' 'unsafe-inline'" }
    : withFrames
  return Object.entries(withDevServer)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
