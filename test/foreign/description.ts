import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'

/** A route in the public description of the host. */
export interface Described {
  readonly method: string
  /** The path with `{}` for each placeholder. */
  readonly path: string
  /** The full paragraph about the route. */
  readonly text: string
  /** Names of the members of its body, query and answer. */
  readonly body: readonly string[]
  readonly query: readonly string[]
  readonly answer: readonly string[]
}

/** The path that `…` abbreviates, by section. */
const bases: Readonly<Record<string, string>> = { '3': '/study-sets', '4': '/documents/{}' }

/**
 * Names of members in code spans: `a`, and all three of `a[{b, c?}]`; no values, error codes or
 * paths.
 */
function names(text: string): readonly string[] {
  const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  return codes.flatMap((code) => {
    if (/^[/"#]|[|/]|^[A-Z_]+$|^\d/.test(code.replace(/"[^"]*"/g, ''))) return []
    return [...code.replace(/"[^"]*"|:\s*\[[^\]]*\]|[:=]\s*-?\w[\w.-]*/g, '').matchAll(/[a-zA-Z]\w*/g)].map(
      ([name]) => name,
    )
  })
}

/** The text without parentheses, which hold values and conditions. */
const plain = (text: string): string => text.replace(/\((?:[^()`]|`[^`]*`)*\)/g, '')

/**
 * The sentence that begins where `begin` matches, or the first column of the table that follows.
 */
function sentence(text: string, begin: RegExp): string {
  const index = text.search(begin)
  if (index < 0) return ''
  const rest = text.slice(index)
  const table = /^[^\n]{0,40}:\n\n?\|/.test(rest) || /^\| (?:Body|Query) \|/.test(rest)
  if (table) return [...rest.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell).join(' ')
  return plain(rest).split(/[.:] [A-Z]|[.;] [`"]|; |\.?\n/)[0] ?? ''
}

/** The routes of `docs/host/observed-0.49-routes.md`, in its order. */
export function described(): readonly Described[] {
  const file = readFileSync(path.join(root, 'docs/host/observed-0.49-routes.md'), 'utf8')
  const sections = file.split(/^## (?=\d)/m).slice(1)
  return sections.flatMap((section) => {
    const base = bases[/^\d+/.exec(section)?.[0] ?? ''] ?? ''
    const body = section.split(/^## /m)[0] ?? ''
    return body
      .split(/\n(?=\*\*(?:GET|POST) )/)
      .slice(1)
      .flatMap((text) => {
        const leads = [...text.matchAll(/\*\*(GET|POST) ([^*]+)\*\*/g)]
        return leads.map(([, method = '', route = '']) => ({
          method,
          path: route.replace('…', base).replace(/\{[^}]*\}/g, '{}'),
          text,
          body: [...new Set(names(sentence(text, /\| Body \||(?<![,{])\b[Bb]ody\b(?!; |\.)|\bOne of: /)))],
          query: [...new Set(names(sentence(text, /\| Query \||(?<!No other |no |in the )\b[Qq]uery\b/)))],
          answer: [...new Set(names(sentence(text, /\b(?:Answers?|Items)\b/)))],
        }))
      })
  })
}
