; Counts words and sorts them.
(defn text [n] (map #(str "w" (mod % 900)) (take n (iterate #(mod (+ (* % 1103515) 12345) 2147483) 7))))
(dotimes [turn 30]
  (let [words (frequencies (text 6000))
        order (sort-by (fn [[k v]] [(- v) k]) words)]
    (println turn (map first (take 3 order)) (reduce + (map (fn [[k v]] (* (count k) v)) words)))))
