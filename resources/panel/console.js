/*
 * Prints the calls of a panel's console as text: `formatArguments` formats values like a browser's
 * console, and `createConsole` replaces the console's methods, some of which keep state between
 * calls. The file is served before `host.js`, in the same function. No getter of the page is ever
 * called.
 */

/**
 * At most this many members of one value, and values of one call, are printed; the rest is counted.
 */
const MAX_MEMBERS = 100
const MAX_VALUES = 2000
const MAX_DEPTH = 5

const quote = (text) => (text.includes("'") ? JSON.stringify(text) : `'${text.replace(/\n/g, '\\n')}'`)
const getTag = (value) => Object.prototype.toString.call(value).slice(8, -1)

function getClassName(value) {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null) return '[Object: null prototype]'
  const constructor = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : getTag(value)
}

function formatError(error) {
  const head = `${error.name}: ${error.message}`
  const { stack } = error
  if (typeof stack !== 'string' || stack === '') return head
  // Only Chromium begins a stack with the name and the message.
  return stack.includes(error.message) ? stack : `${head}\n${stack}`
}

/**
 * Formats a value as a console prints it inside others. `state` counts the values printed so far
 * and lists the objects around this one.
 */
function formatValue(value, state, depth = 0) {
  state.values += 1
  if (typeof value === 'string') return depth === 0 ? value : quote(value)
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
    return `[${getTag(value)}]`
  }
}

function formatObject(value, state, depth) {
  if (value instanceof Error) return formatError(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof Element) return value.outerHTML
  if (value instanceof Document) return '#document'
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return `${getClassName(value)} {${formatValue(value.valueOf(), state, depth + 1)}}`
  }
  const name = getClassName(value)
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
    const label = typeof key === 'symbol' ? key.toString() : /^[\w$]+$/.test(key) ? key : quote(key)
    add(() => `${isIndex ? '' : `${label}: `}${'value' in member ? inner(member.value) : '(...)'}`)
  }
  if (ArrayBuffer.isView(value) && isList) for (let index = 0; index < size; index += 1) add(() => inner(value[index]))
  state.inside.pop()
  if (left > 0) members.push(`… ${left} more`)
  return withHead(`${open}${members.join(', ')}${close}`)
}

const createFormatState = () => ({ values: 0, inside: [] })

/**
 * Formats the arguments of a console method, `%` directives included.
 * @see https://console.spec.whatwg.org/#formatter
 */
function formatArguments(values) {
  const state = createFormatState()
  const rest = [...values]
  const parts = []
  if (typeof rest[0] === 'string' && rest.length > 1) {
    const text = rest.shift().replace(/%([sdifoOc%])/g, (directive, kind) => {
      if (kind === '%') return '%'
      if (rest.length === 0) return directive
      const value = rest.shift()
      // `%c` takes a style, which plain text cannot show.
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

/** Formats a table for `console.table`; returns null for a value without rows. */
function formatTable(data, columns) {
  if (typeof data !== 'object' || data === null) return null
  const rows = []
  const entries = data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data)
  const names = new Set()
  let hasValues = false
  let left = 0
  const state = createFormatState()
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
  const columnNames = Array.isArray(columns) ? columns.map(String) : [...names].slice(0, MAX_MEMBERS)
  const lines = [['(index)', ...columnNames, ...(hasValues ? ['Value'] : [])]]
  for (const { key, cells, value } of rows) {
    lines.push([key, ...columnNames.map((name) => cells.get(name) ?? ''), ...(hasValues ? [value] : [])])
  }
  const widths = lines[0].map((_, index) => Math.min(60, Math.max(...lines.map((line) => line[index].length))))
  const text = lines.map((line) => line.map((part, index) => part.padEnd(widths[index])).join(' │ ').trimEnd())
  return [...text, ...(left > 0 ? [`… ${left} more`] : [])].join('\n')
}

/**
 * Replaces the methods of the console by ones that print as before and also call
 * `print(level, text)`.
 *
 * @param getCallerStack returns the lines of the stack that belong to the page.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- host.js calls it
function createConsole(print, getCallerStack) {
  const counts = new Map()
  const timers = new Map()
  let depth = 0
  const printIndented = (level, text) => print(level, depth === 0 ? text : text.replace(/^/gm, '  '.repeat(depth)))
  const getLabel = (label) => (label === undefined ? 'default' : String(label))
  const printElapsed = (label, more) => {
    const startedAt = timers.get(label)
    if (startedAt === undefined) return printIndented('warning', `Timer '${label}' does not exist`)
    const time = `${label}: ${Number((performance.now() - startedAt).toFixed(3))} ms`
    printIndented('info', [time, ...(more.length > 0 ? [formatArguments(more)] : [])].join(' '))
  }
  const createPrinter =
    (level) =>
    (...values) =>
      printIndented(level, formatArguments(values))
  const methods = {
    debug: createPrinter('debug'),
    log: createPrinter('info'),
    info: createPrinter('info'),
    warn: createPrinter('warning'),
    error: createPrinter('error'),
    dir: (value) => printIndented('info', formatArguments([value])),
    dirxml: createPrinter('info'),
    trace: (...values) => printIndented('info', [values.length > 0 ? formatArguments(values) : 'console.trace', getCallerStack()].join('\n')),
    assert(condition, ...values) {
      if (!condition) printIndented('error', `Assertion failed: ${values.length > 0 ? formatArguments(values) : 'console.assert'}`)
    },
    table: (data, columns) => printIndented('info', formatTable(data, columns) ?? formatArguments([data])),
    count(name) {
      const label = getLabel(name)
      counts.set(label, (counts.get(label) ?? 0) + 1)
      printIndented('info', `${label}: ${counts.get(label)}`)
    },
    countReset(name) {
      const label = getLabel(name)
      if (!counts.has(label)) printIndented('warning', `Count for '${label}' does not exist`)
      counts.set(label, 0)
    },
    time(name) {
      const label = getLabel(name)
      if (timers.has(label)) printIndented('warning', `Timer '${label}' already exists`)
      else timers.set(label, performance.now())
    },
    timeLog: (name, ...more) => printElapsed(getLabel(name), more),
    timeEnd(name) {
      const label = getLabel(name)
      printElapsed(label, [])
      timers.delete(label)
    },
    group(...values) {
      printIndented('info', values.length > 0 ? formatArguments(values) : 'console.group')
      depth = Math.min(20, depth + 1)
    },
    groupEnd: () => void (depth = Math.max(0, depth - 1)),
    clear() {
      depth = 0
      printIndented('debug', 'Console was cleared')
    },
  }
  methods.groupCollapsed = methods.group
  /**
   * True while a value is formatted, which may run code of the page that prints, such as a proxy's
   * trap.
   */
  let isPrinting = false
  for (const [name, method] of Object.entries(methods)) {
    const originalMethod = console[name]?.bind(console)
    console[name] = (...values) => {
      // The page may print any value, a proxy that throws included.
      if (!isPrinting) {
        isPrinting = true
        try {
          method(...values)
        } catch {
          printIndented('info', '(not printable)')
        } finally {
          isPrinting = false
        }
      }
      originalMethod?.(...values)
    }
  }
}
