/*
 * How a panel's console prints: `formatArguments` writes what a browser's console shows as text, and `createConsole` the methods that keep
 * something between calls. It comes before `host.js`, in the same function. A getter of the page is never called.
 */

/** Members of one value, and values of one call, that are printed; the rest is counted. */
const MAX_MEMBERS = 100
const MAX_VALUES = 2000
const MAX_DEPTH = 5

const quoted = (text) => (text.includes("'") ? JSON.stringify(text) : `'${text.replace(/\n/g, '\\n')}'`)
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1)

function classNameOf(value) {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null) return '[Object: null prototype]'
  const constructor = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : tagOf(value)
}

function formatError(error) {
  const head = `${error.name}: ${error.message}`
  const { stack } = error
  if (typeof stack !== 'string' || stack === '') return head
  // Only Chromium begins a stack with the name and the message.
  return stack.includes(error.message) ? stack : `${head}\n${stack}`
}

/** The value as a console prints it inside others; `state` counts what was printed and holds what it is inside of. */
function formatValue(value, state, depth = 0) {
  state.values += 1
  if (typeof value === 'string') return depth === 0 ? value : quoted(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') {
    return /^class\b/.test(Function.prototype.toString.call(value)) ? `class ${value.name}` : `ƒ ${value.name}()`
  }
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return formatObject(value, state, depth)
  } catch {
    return `[${tagOf(value)}]`
  }
}

function formatObject(value, state, depth) {
  if (value instanceof Error) return formatError(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof Element) return value.outerHTML
  if (value instanceof Document) return '#document'
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return `${classNameOf(value)} {${formatValue(value.valueOf(), state, depth + 1)}}`
  }
  const name = classNameOf(value)
  const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))
  const isMap = value instanceof Map
  const isSet = value instanceof Set
  const size = isList ? value.length : isMap || isSet ? value.size : null
  const head = size === null ? (name === 'Object' ? '' : name) : name === 'Array' ? `(${size})` : `${name}(${size})`
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const withHead = (text) => (head === '' || (name === 'Array' && size < 2) ? text : `${head} ${text}`)
  if (state.inside.includes(value)) return '[Circular]'
  if (depth >= MAX_DEPTH || state.values >= MAX_VALUES) return withHead(`${open}…${close}`)
  state.inside.push(value)
  const members = []
  let left = 0
  const add = (write) => {
    if (members.length < MAX_MEMBERS && state.values < MAX_VALUES) members.push(write())
    else left += 1
  }
  const inner = (member) => formatValue(member, state, depth + 1)
  if (isMap) for (const [key, member] of value) add(() => `${inner(key)} => ${inner(member)}`)
  if (isSet) for (const member of value) add(() => inner(member))
  for (const key of ArrayBuffer.isView(value) ? [] : Reflect.ownKeys(value)) {
    if (isList && key === 'length') continue
    const member = Object.getOwnPropertyDescriptor(value, key)
    if (!member || (!member.enumerable && !isList)) continue
    const isIndex = isList && typeof key === 'string' && /^\d+$/.test(key)
    const label = typeof key === 'symbol' ? key.toString() : /^[\w$]+$/.test(key) ? key : quoted(key)
    add(() => `${isIndex ? '' : `${label}: `}${'value' in member ? inner(member.value) : '(...)'}`)
  }
  if (ArrayBuffer.isView(value) && isList) for (let index = 0; index < size; index += 1) add(() => inner(value[index]))
  state.inside.pop()
  if (left > 0) members.push(`… ${left} more`)
  return withHead(`${open}${members.join(', ')}${close}`)
}

const newState = () => ({ values: 0, inside: [] })

/** What a console prints for these arguments, `%` directives included (https://console.spec.whatwg.org/#formatter). */
function formatArguments(given) {
  const state = newState()
  const rest = [...given]
  const parts = []
  if (typeof rest[0] === 'string' && rest.length > 1) {
    const text = rest.shift().replace(/%([sdifoOc%])/g, (directive, kind) => {
      if (kind === '%') return '%'
      if (rest.length === 0) return directive
      const value = rest.shift()
      // Its style is not shown here.
      if (kind === 'c') return ''
      if (kind === 's') return typeof value === 'string' ? value : formatValue(value, state, typeof value === 'object' ? 1 : 0)
      if (kind === 'd' || kind === 'i') return typeof value === 'symbol' ? 'NaN' : String(parseInt(value, 10))
      if (kind === 'f') return typeof value === 'symbol' ? 'NaN' : String(parseFloat(value))
      return formatValue(value, state, 1)
    })
    parts.push(text)
  }
  for (const value of rest) parts.push(formatValue(value, state))
  return parts.join(' ')
}

/** A table of text for `console.table`; null for what has no rows. */
function formatTable(data, columns) {
  if (typeof data !== 'object' || data === null) return null
  const rows = []
  const entries = data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data)
  const names = new Set()
  let hasValues = false
  let left = 0
  const state = newState()
  const cell = (value) => formatValue(value, state, 1)
  for (const [key, value] of entries) {
    if (rows.length >= MAX_MEMBERS) {
      left += 1
      continue
    }
    const cells = new Map()
    const isRow = typeof value === 'object' && value !== null
    if (isRow) for (const [name, member] of Object.entries(value)) cells.set(name, cell(member))
    else hasValues = true
    for (const name of cells.keys()) names.add(name)
    rows.push({ key: String(key), cells, value: isRow ? '' : cell(value) })
  }
  const shown = Array.isArray(columns) ? columns.map(String) : [...names].slice(0, MAX_MEMBERS)
  const lines = [['(index)', ...shown, ...(hasValues ? ['Value'] : [])]]
  for (const { key, cells, value } of rows) {
    lines.push([key, ...shown.map((name) => cells.get(name) ?? ''), ...(hasValues ? [value] : [])])
  }
  const widths = lines[0].map((_, index) => Math.min(60, Math.max(...lines.map((line) => line[index].length))))
  const text = lines.map((line) => line.map((part, index) => part.padEnd(widths[index])).join(' │ ').trimEnd())
  return [...text, ...(left > 0 ? [`… ${left} more`] : [])].join('\n')
}

/**
 * Replaces the methods of the console by ones that print as before and hand each line to `print(level, text)`. `stackOfCaller` returns the
 * lines of the stack that are the page's.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- host.js calls it
function createConsole(print, stackOfCaller) {
  const counts = new Map()
  const timers = new Map()
  let depth = 0
  const say = (level, text) => print(level, depth === 0 ? text : text.replace(/^/gm, '  '.repeat(depth)))
  const labelOf = (label) => (label === undefined ? 'default' : String(label))
  const elapsed = (label, more) => {
    const begun = timers.get(label)
    if (begun === undefined) return say('warning', `Timer '${label}' does not exist`)
    const time = `${label}: ${Number((performance.now() - begun).toFixed(3))} ms`
    say('info', [time, ...(more.length > 0 ? [formatArguments(more)] : [])].join(' '))
  }
  const plainly =
    (level) =>
    (...given) =>
      say(level, formatArguments(given))
  const methods = {
    debug: plainly('debug'),
    log: plainly('info'),
    info: plainly('info'),
    warn: plainly('warning'),
    error: plainly('error'),
    dir: (value) => say('info', formatArguments([value])),
    dirxml: plainly('info'),
    trace: (...given) => say('info', [given.length > 0 ? formatArguments(given) : 'console.trace', stackOfCaller()].join('\n')),
    assert(holds, ...given) {
      if (!holds) say('error', `Assertion failed: ${given.length > 0 ? formatArguments(given) : 'console.assert'}`)
    },
    table: (data, columns) => say('info', formatTable(data, columns) ?? formatArguments([data])),
    count(given) {
      const label = labelOf(given)
      counts.set(label, (counts.get(label) ?? 0) + 1)
      say('info', `${label}: ${counts.get(label)}`)
    },
    countReset(given) {
      const label = labelOf(given)
      if (!counts.has(label)) say('warning', `Count for '${label}' does not exist`)
      counts.set(label, 0)
    },
    time(given) {
      const label = labelOf(given)
      if (timers.has(label)) say('warning', `Timer '${label}' already exists`)
      else timers.set(label, performance.now())
    },
    timeLog: (given, ...more) => elapsed(labelOf(given), more),
    timeEnd(given) {
      const label = labelOf(given)
      elapsed(label, [])
      timers.delete(label)
    },
    group(...given) {
      say('info', given.length > 0 ? formatArguments(given) : 'console.group')
      depth = Math.min(20, depth + 1)
    },
    groupEnd: () => void (depth = Math.max(0, depth - 1)),
    clear() {
      depth = 0
      say('debug', 'Console was cleared')
    },
  }
  methods.groupCollapsed = methods.group
  /** Reading what is printed may run code of the page, such as a trap of a proxy, that prints itself. */
  let isPrinting = false
  for (const [name, method] of Object.entries(methods)) {
    const plain = console[name]?.bind(console)
    console[name] = (...given) => {
      // What the page prints may be of any kind, a proxy that throws included.
      if (!isPrinting) {
        isPrinting = true
        try {
          method(...given)
        } catch {
          say('info', '(not printable)')
        } finally {
          isPrinting = false
        }
      }
      plain?.(...given)
    }
  }
}
