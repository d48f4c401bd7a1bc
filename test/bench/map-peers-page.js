// Runs in the page of map-peers.mjs: the cards of a generated study set as SVG elements, and in
// sigma.js.
import { flextree } from 'd3-flextree'
import Graph from 'graphology'
import Sigma from 'sigma'
import { generateStudySet } from '../../electron/demo-host/library/generated-set.ts'

const SEED = 1
const LINE_PX = 30
const LEVEL_GAP_PX = 36
const SVG = 'http://www.w3.org/2000/svg'
let cards = []
let move = () => undefined

/** What all peers begin with: cards in memory, as those of a tree that is open. */
window.prepareCards = (count) => {
  const set = generateStudySet(SEED, count)
  cards = Array.from({ length: count }, (_, index) => ({ parent: set.getParent(index), title: set.getTitle(index) }))
}

/** Places the cards in columns by their titles, below one root that is not drawn. */
function placeCards() {
  const root = { size: [LINE_PX, 0], children: [] }
  const nodes = cards.map(({ title }, index) => ({
    index,
    title,
    size: [LINE_PX, Math.min(300, 20 + title.length * 9) + LEVEL_GAP_PX],
    children: [],
  }))
  nodes.forEach((node, index) => (nodes[cards[index].parent] ?? root).children.push(node))
  const layout = flextree()
  const tree = layout.hierarchy(root)
  layout(tree)
  return tree.descendants().filter(({ data }) => data !== root)
}

const create = (name, attributes, parent) => {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent.append(element)
  return element
}

/** A path, a box and a text for each card, in a group that gestures transform. */
window.mountSvg = () => {
  const { innerWidth: width, innerHeight: height } = window
  const svg = create('svg', { width, height }, document.body)
  const group = create('g', { 'font-size': 13 }, svg)
  let [top, bottom, right] = [0, 0, 0]
  for (const { x, y, parent, data } of placeCards()) {
    const length = data.size[1] - LEVEL_GAP_PX
    ;[top, bottom, right] = [Math.min(top, x), Math.max(bottom, x), Math.max(right, y + length)]
    if (parent.data.title !== undefined) {
      const from = parent.y + parent.data.size[1] - LEVEL_GAP_PX
      const middle = (from + y) / 2
      const path = `M${from} ${parent.x}C${middle} ${parent.x} ${middle} ${x} ${y} ${x}`
      create('path', { d: path, fill: 'none', stroke: 'silver' }, group)
    }
    const card = create('g', { transform: `translate(${y} ${x - 12})` }, group)
    create('rect', { width: length, height: 24, rx: 6, fill: 'white', stroke: 'silver' }, card)
    create('text', { x: 10, y: 17 }, card).textContent = data.title
  }
  const scale = Math.min(width / right, height / (bottom - top))
  const show = (zoom, x, y) => group.setAttribute('transform', `translate(${x} ${y - top * zoom}) scale(${zoom})`)
  show(scale, 0, 0)
  move = (phase, zooms) => show(zooms ? scale * 3 ** (1 + phase) : scale, zooms ? 0 : 90 * phase, 90 * phase)
  return svg
}

window.mountSigma = () => {
  const container = document.createElement('div')
  Object.assign(container.style, { width: `${innerWidth}px`, height: `${innerHeight}px` })
  document.body.append(container)
  const graph = new Graph()
  for (const { x, y, data } of placeCards())
    graph.addNode(data.index, { x: y, y: x, label: data.title, size: 2, color: 'gray' })
  cards.forEach(({ parent }, index) => parent >= 0 && graph.addEdge(parent, index, { size: 1, color: 'silver' }))
  const camera = new Sigma(graph, container).getCamera()
  move = (phase, zooms) =>
    camera.setState(zooms ? { ratio: 3 ** (-1 - phase) } : { x: 0.5 + 0.1 * phase, y: 0.5 + 0.1 * phase })
  return container
}

/** Moves what is mounted before each frame of some seconds. */
window.movePeer = ({ seconds, zooms }) =>
  window.bench.frames(seconds * 1_000, (passed) => move(Math.sin(passed / 700), zooms))
