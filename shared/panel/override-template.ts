import { placeholdersIn } from '../bridge/path-template.ts'

const braces = /\{[^{}/]+\}/

export type TemplateProblem = 'slash' | 'query' | 'brace' | 'two'

/**
 * What is wrong with a template: it does not begin with a slash, has a query, a brace too many, or two parameters in one segment, which
 * could match in more ways than can be tried. Null if nothing is.
 */
export function templateProblem(template: string): TemplateProblem | null {
  if (!template.startsWith('/') && template !== '*') return 'slash'
  if (/[?#]/.test(template)) return 'query'
  const segments = template.split('/')
  if (/[{}]/.test(template.split(braces).join(''))) return 'brace'
  return segments.some((segment) => placeholdersIn(segment).length > 1) ? 'two' : null
}

/** A literal path as a template that only it matches. */
export const literalTemplate = (path: string): string =>
  path.replace(/[{}]/g, (brace) => encodeURIComponent(brace)).replace(/\*$/, '%2A')
