import { HOME_URL } from './origin.ts'
import type { Texts } from './texts.ts'

/** A page of nothing but text and one link, because it must work when nothing else on the page does. */
export function recoveryPage({ language, recovery }: Texts): string {
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="UTF-8" />
    <meta name="color-scheme" content="light dark" />
    <title>Bridge Inspector</title>
    <style>
      body { margin: 0; min-height: 100vh; display: grid; place-content: center; font: 13px/20px system-ui, sans-serif;
        background: light-dark(#ffffff, #15171b); color: light-dark(#1b1f24, #e3e6ea) }
      main { max-width: 52ch; padding: 24px }
      h1 { font-size: 16px; line-height: 24px; margin: 0 0 8px }
      a { color: light-dark(#2563c9, #7aa7f7) }
    </style>
  </head>
  <body>
    <main role="alert">
      <h1>${recovery.title}</h1>
      <p>${recovery.text}</p>
      <p><a href="${HOME_URL}">${recovery.again}</a></p>
    </main>
  </body>
</html>
`
}
