; Words of a text that is made up: counted, grouped, sorted and printed.
(defn words [n]
  (map #(str "word" (mod (* % 7919) 1009)) (range n)))

(defn frequent [ws]
  (->> ws
       (frequencies)
       (sort-by (fn [[w n]] [(- n) w]))
       (take 20)))

(defmulti weigh :kind)
(defmethod weigh :short [x] (* 2 (:length x)))
(defmethod weigh :long [x] (+ 100 (:length x)))

(defn item [w]
  {:kind (if (< (count w) 7) :short :long) :length (count w) :letters (set w)})

(dotimes [i 12]
  (let [ws (words 20000)
        weights (transduce (comp (map item) (map weigh)) + ws)
        groups (group-by #(subs % (dec (count %))) ws)]
    (println i weights (count groups) (frequent (map #(subs % 0 5) ws)) (first (frequent ws)))))
