/** A task bundle as far as it says what it is. */
export interface Bundle {
  readonly at: number
  readonly id: string
  readonly state: string
  readonly origin: string
  readonly createdAt: string
  readonly done: number | null
  readonly total: number | null
  /** Paths of its files, where the host lists them. */
  readonly files: readonly string[]
}

export function bundleOf(sent: Readonly<Record<string, unknown>>, at: number): Bundle {
  const text = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '')
  const progress = typeof sent['progress'] === 'object' && sent['progress'] !== null ? sent['progress'] : {}
  const number = (name: string): number | null => {
    const value: unknown = Reflect.get(progress, name)
    return typeof value === 'number' ? value : null
  }
  const files: unknown = sent['files']
  return {
    at,
    id: text('bundleId') || text('id'),
    state: text('state'),
    origin: text('origin'),
    createdAt: text('createdAt'),
    done: number('pagesDone'),
    total: number('pagesTotal'),
    files: Array.isArray(files)
      ? files.flatMap((file: unknown) => {
          if (typeof file === 'string') return [file]
          const path: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, 'path') : null
          return typeof path === 'string' ? [path] : []
        })
      : [],
  }
}
