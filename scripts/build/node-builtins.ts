import type { Plugin } from 'vite'

/** How bundles for Node are written. */
export const nodeOutput = {
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Each thread compiles what it loads at every start, and blanks count. Names stay, for the log.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
} as const

/** What an import declaration of the bundle looks like (ESTree). */
interface Import {
  readonly start: number
  readonly end: number
  readonly source: string
  /** Exported name (`default`, `*` for all) and local name of each. */
  readonly names: readonly (readonly [exported: string, local: string])[]
}

/**
 * Takes Node's own modules as values in place of importing them. An import evaluates everything that a module exports, lazy members too:
 * that of `node:http` loads a whole second HTTP client for one of them, which costs as much as Node itself, in each thread.
 */
export function builtins(): Plugin {
  return {
    name: 'bridge-inspector:builtins',
    apply: 'build',
    renderChunk(code) {
      const found = this.parse(code).body.flatMap((node) => {
        if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('node:')) return []
        const names = node.specifiers.map((one): Import['names'][number] => {
          if (one.type === 'ImportDefaultSpecifier') return ['default', one.local.name]
          if (one.type === 'ImportNamespaceSpecifier') return ['*', one.local.name]
          return [one.imported.type === 'Identifier' ? one.imported.name : one.imported.value, one.local.name]
        })
        return [{ start: node.start, end: node.end, source: node.source.value, names }]
      })
      return asValues(code, found)
    },
  }
}

/** The code with these imports, in the order of the code, replaced by constants. */
export function asValues(code: string, imports: readonly Import[]): string {
  let at = 0
  let result = ''
  for (const { start, end, source, names } of imports) {
    const value = `process.getBuiltinModule(${JSON.stringify(source)})`
    const whole = names.filter(([exported]) => exported === 'default' || exported === '*')
    const members = names.filter((name) => !whole.includes(name)).map(([exported, local]) => `${exported}: ${local}`)
    const constants = [...whole.map(([, local]) => local), ...(members.length > 0 ? [`{ ${members.join(', ')} }`] : [])]
    result += code.slice(at, start) + constants.map((name) => `const ${name} = ${value};`).join(' ')
    at = end
  }
  return result + code.slice(at)
}
