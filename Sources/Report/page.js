'use strict';
// The shared cursor: a pointer on a chart or on the map, or the slider, moves it in all charts and on the map.
const data = JSON.parse(document.getElementById('data').textContent);
const slider = document.getElementById('slider');
const here = document.querySelector('.here');
const distance = document.getElementById('by-distance');
const last = data.times.length - 1;

const isByDistance = () => distance !== null && distance.checked;

function move(index) {
  slider.value = index;
  slider.setAttribute('aria-valuetext', [data.times[index], data.distances[index]].filter(Boolean).join(', '));
  const share = isByDistance() ? data.shares[index] : (index + .5) / (last + 1);
  for (const cursor of document.querySelectorAll('.cursor')) {
    cursor.hidden = false;
    cursor.style.left = share * 100 + '%';
  }
  for (const output of document.querySelectorAll('.chart output')) {
    output.textContent = data.values[output.dataset.figure][index] || '–';
  }
  document.getElementById('where').textContent = slider.getAttribute('aria-valuetext');
  if (here) {
    const place = data.places[index];
    here.hidden = !place;
    if (place) [here.style.left, here.style.top] = [place[0] + '%', place[1] + '%'];
  }
}

function indexAt(share) {
  if (!isByDistance()) return Math.min(Math.max(Math.floor(share * (last + 1)), 0), last);
  const index = data.shares.findIndex((one) => one >= share);
  return index < 0 ? last : index;
}

function follow(element, index) {
  const moved = (event) => {
    const box = element.getBoundingClientRect();
    move(index((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height));
  };
  element.addEventListener('pointermove', moved);
  element.addEventListener('pointerdown', moved);
}

for (const plot of document.querySelectorAll('.plot')) follow(plot, indexAt);
const map = document.querySelector('.map');
if (map) {
  follow(map, (x, y) => {
    let nearest = [Infinity, 0];
    data.places.forEach((place, index) => {
      if (!place) return;
      const away = (place[0] - x * 100) ** 2 + ((place[1] - y * 100) * data.aspect) ** 2;
      if (away < nearest[0]) nearest = [away, index];
    });
    return nearest[1];
  });
}
slider.addEventListener('input', () => move(Number(slider.value)));
for (const input of document.querySelectorAll('.switch')) input.addEventListener('change', () => move(Number(slider.value)));
slider.parentElement.hidden = false;
