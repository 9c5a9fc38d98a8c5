/**
 * Stands in for a language model: it looks at the conversation and says what comes
 * next, the same each time.
 */

/** The next message of the assistant. */
export async function askModel(messages) {
  const task = messages[0].content;
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (task.startsWith('Review:')) return say('Approved.');
  return task.startsWith('Sum') ? summer(task, answers) : analyst(answers);
}

function analyst([figures, sum, lastYear]) {
  if (figures === undefined) return call('read_figures', { year: 2025 });
  if (sum === undefined) return call('add', { numbers: Object.values(JSON.parse(figures)) });
  if (lastYear === undefined) return call('delegate', { task: 'Sum the figures of 2024' });
  return say(`The shops earned ${sum} in 2025. For the year before: ${lastYear}`);
}

function summer(task, [figures, sum]) {
  const year = Number(/\d{4}/.exec(task)[0]);
  if (figures === undefined) return call('read_figures', { year });
  if (sum === undefined) return call('add', { numbers: Object.values(JSON.parse(figures)) });
  return say(`In ${year} it was ${sum}.`);
}

function say(content) {
  return { role: 'assistant', content };
}

function call(name, args) {
  const tool = { name, arguments: JSON.stringify(args) };
  return {
    role: 'assistant',
    content: null,
    toolCalls: [{ id: `call_${name}`, type: 'function', function: tool }],
  };
}
